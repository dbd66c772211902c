// Pad
