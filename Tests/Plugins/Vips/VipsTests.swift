// Vips
