// Sharpen
