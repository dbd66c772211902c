// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: a warning is an error, and what a file uses it imports.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// The same for C and C++.
let strictC: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]
let strictCXX: [CXXSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]

/// One folder under `Plugins/`, one operation, one test target.
struct Plugin {
  let folder: String
  /// What it needs beside MinilabKit.
  var needs: [Target.Dependency] = []
  var module: String { folder + "Operation" }
}

let plugins = [
  "Adjust",
  "Blur",
  "Capture",
  "Caption",
  "Compose",
  "Crop",
  "Flatten",
  "Grayscale",
  "Orient",
  "Pad",
  "Resize",
  "Rotate",
  "ShapeMask",
  "Sharpen",
  "ThumbnailPreview",
  "Vips",
].map { Plugin(folder: $0, needs: $0 == "Capture" ? ["V4L2"] : []) }

func library(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .testTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

let package = Package(
  name: "minilab",
  products: [
    .executable(name: "minilab", targets: ["minilab"]),
    .library(name: "MinilabKit", targets: ["MinilabKit"]),
    .library(name: "MinilabHost", targets: ["MinilabHost"]),
    .library(name: "MinilabOperations", targets: ["MinilabOperations"]),
  ],
  targets: [
    .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(
      name: "CFontconfig",
      pkgConfig: "fontconfig",
      providers: [.apt(["libfontconfig-dev"])]
    ),
    .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CVipsShim", dependencies: ["CVips", "CGLib"], cSettings: strictC),
    .target(name: "CToml", cxxSettings: strictCXX),
    .target(name: "CSystem", cSettings: strictC),
    .target(name: "CSandbox", cSettings: strictC),
    .target(name: "CExif", cSettings: strictC, linkerSettings: [.linkedLibrary("exif")]),
    .target(name: "CExempi", cSettings: strictC, linkerSettings: [.linkedLibrary("exempi")]),
    .target(name: "CIptc", cSettings: strictC, linkerSettings: [.linkedLibrary("iptcdata")]),
    .target(name: "CJpeg", cSettings: strictC, linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CV4L2", cSettings: strictC, linkerSettings: [.linkedLibrary("v4l2")]),
    .target(name: "CWebP", cSettings: strictC, linkerSettings: [.linkedLibrary("webp")]),
    .target(name: "CJxl", cSettings: strictC, linkerSettings: [.linkedLibrary("jxl")]),
    library("Vips", ["CVips", "CVipsShim", "CGLib"]),
    library("Drawing", ["CCairo"]),
    library("V4L2", ["CV4L2"]),
    library("MinilabKit", ["Vips", "Drawing", "CFontconfig"]),
    library("PictureMetadata", ["CExif", "CExempi", "CIptc"]),
    library(
      "MinilabHost",
      [
        "MinilabKit", "PictureMetadata", "Vips", "CToml", "CGLib", "COpenSSL", "CSQLite", "CSystem",
        "CSandbox", "CJpeg", "CWebP", "CJxl",
      ]
    ),
    library("MinilabOperations", ["MinilabKit"] + plugins.map { .byName(name: $0.module) }),
    .executableTarget(
      name: "minilab",
      dependencies: ["MinilabHost", "MinilabOperations"],
      swiftSettings: strict
    ),
    library("TestSupport", ["MinilabKit", "MinilabHost", "Vips"], path: "Tests/TestSupport"),
    tests("VipsTests", ["Vips", "TestSupport"]),
    tests("DrawingTests", ["Drawing"]),
    tests("PictureMetadataTests", ["PictureMetadata", "TestSupport"]),
    // Only its search path is used: without libfuse3, all builds but the tests with a camera.
    .systemLibrary(
      name: "CFuse",
      path: "Tests/CFuse",
      pkgConfig: "fuse3",
      providers: [.apt(["libfuse3-dev"])]
    ),
    .executableTarget(
      name: "FakeCamera",
      dependencies: ["CFuse"],
      path: "Tests/FakeCamera",
      cSettings: strictC
    ),
    tests(
      "V4L2Tests",
      ["V4L2", "CV4L2", "Vips", "MinilabKit", "TestSupport", "FakeCamera"]
    ),
    tests("MinilabKitTests", ["MinilabKit", "TestSupport"]),
    .target(name: "CIntruder", path: "Tests/CIntruder", cSettings: strictC),
    .executableTarget(
      name: "FakeWorker",
      dependencies: ["MinilabHost", "MinilabKit", "Vips", "CIntruder"],
      path: "Tests/FakeWorker",
      swiftSettings: strict
    ),
    .target(
      name: "CoefficientFiles",
      path: "Tests/CoefficientFiles",
      cSettings: strictC,
      linkerSettings: [.linkedLibrary("jpeg")]
    ),
    // Sums over every pixel, in plain Swift: twenty times as long without optimization.
    .target(
      name: "NaivePictures",
      dependencies: ["MinilabKit"],
      path: "Tests/NaivePictures",
      swiftSettings: strict + [.unsafeFlags(["-O"])]
    ),
    tests(
      "MinilabHostTests",
      [
        "MinilabHost", "MinilabOperations", "TestSupport", "CSystem", "FakeWorker",
        "CoefficientFiles", "NaivePictures",
      ]
    ),
    tests("MinilabOperationsTests", ["MinilabOperations", "MinilabHost", "TestSupport"]),
    tests(
      "CommandLineTests",
      ["MinilabHost", "MinilabOperations", "TestSupport", "V4L2", "minilab", "FakeCamera"]
    ),
  ]
    + plugins.map { library($0.module, ["MinilabKit"] + $0.needs, path: "Plugins/\($0.folder)") }
    + plugins.map {
      tests(
        "\($0.module)Tests",
        [.byName(name: $0.module), "MinilabHost", "TestSupport"] + $0.needs
          + ($0.needs.isEmpty ? [] : ["FakeCamera"]),
        path: "Tests/Plugins/\($0.folder)"
      )
    },
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// `scripts/fuzz` builds everything with the instruments of libFuzzer, whose library it names in this
// variable. Otherwise they are not there: a package with such flags cannot be another one's dependency.
if let library = Context.environment["MINILAB_FUZZER_LIBRARY"] {
  let flag =
    "-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"
  for target in package.targets where target.type == .regular {
    if target.swiftSettings != nil {
      target.swiftSettings?.append(.unsafeFlags([flag]))
    } else {
      target.cSettings?.append(.unsafeFlags(["-f" + flag.dropFirst()]))
      target.cxxSettings?.append(.unsafeFlags(["-f" + flag.dropFirst()]))
    }
  }
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "MinilabHost", "MinilabOperations", "MinilabKit", "PictureMetadata", "Drawing", "V4L2",
        "Vips",
      ],
      path: "Tests/Fuzz/Sources",
      swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-Xlinker", library]), .linkedLibrary("stdc++")]
    )
  )
}
