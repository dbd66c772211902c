import MinilabHost
import MinilabOperations

Minilab.main(operations: .builtin)
