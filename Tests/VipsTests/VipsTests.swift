// VipsTests
