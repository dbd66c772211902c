// Blur
