// MinilabOperationsTests
