extension MetadataBlocks {
  /// EXIF says how many pixels there are to an inch or a centimeter.
  ///
  /// An inch is meant where it names no unit; 1 says that there is none (EXIF 2.32, 4.6.4).
  public var hasDensity: Bool {
    guard let block = exif.flatMap({ ExifBlock($0) }), let picture = block.directory(.picture)
    else { return false }
    func entry(_ tag: Int) -> ExifBlock.Entry? { picture.entries.first { $0.tag == tag } }
    let hasNumbers = [ExifNumber.xResolution, ExifNumber.yResolution].allSatisfy {
      entry($0)?.value != nil
    }
    guard let unit = entry(ExifNumber.resolutionUnit) else { return hasNumbers }
    return hasNumbers && [2, 3].contains(block.number(unit))
  }
}
