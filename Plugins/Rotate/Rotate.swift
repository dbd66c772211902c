// Rotate
