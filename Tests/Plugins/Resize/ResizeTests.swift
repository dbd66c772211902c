// Resize
