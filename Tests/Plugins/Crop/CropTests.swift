// Crop
