/** The store two minutes from now, to which all that was just saved has been idle for long. */
import '../../../../src/worker/worker.ts'

const now = Date.now
Date.now = () => now() + 120_000
