// Flatten
