import Glibc

/// The extensions that mozjpeg's libjpeg has over others.
enum MozJPEG {
  /// The libjpeg of this process has them: told by the function that asks for them.
  static let isThere = dlsym(nil, "jpeg_c_bool_param_supported") != nil
}
