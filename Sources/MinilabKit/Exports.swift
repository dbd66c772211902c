// A plugin's one import brings the pictures its pixel work is handed, and the outlines of shapes.
@_exported public import Drawing
@_exported public import Vips
