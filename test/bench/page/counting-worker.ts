/** The worker of the package, which tells what it has handed to IndexedDB. */
import 'forkpoint/worker'
import { tellHanded } from './handed.ts'

tellHanded()
