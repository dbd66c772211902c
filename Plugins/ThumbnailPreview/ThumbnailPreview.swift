// ThumbnailPreview
