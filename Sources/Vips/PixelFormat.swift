internal import CVips
internal import CVipsShim

/// How one sample is stored.
public enum PixelFormat: Sendable, Equatable {
  case uchar
  case ushort
  case uint
  case float
  case double
  /// Whole numbers with a sign, of any length.
  case signed
  /// Complex numbers.
  case other

  init(_ format: VipsBandFormat) {
    switch format {
    case VIPS_FORMAT_UCHAR: self = .uchar
    case VIPS_FORMAT_USHORT: self = .ushort
    case VIPS_FORMAT_UINT: self = .uint
    case VIPS_FORMAT_FLOAT: self = .float
    case VIPS_FORMAT_DOUBLE: self = .double
    case VIPS_FORMAT_CHAR, VIPS_FORMAT_SHORT, VIPS_FORMAT_INT: self = .signed
    default: self = .other
    }
  }
}
