// A plugin's one import brings the pictures its pixel work is handed.
@_exported public import Vips
