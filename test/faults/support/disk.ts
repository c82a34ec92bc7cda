import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** A small disk of its own in a file, so that the moment at which the power goes can be copied. */
export interface Disk {
  /** Where it is mounted. */
  readonly path: string
  /** What would be found on it if the power went now, as another disk. */
  copy(name: string): Disk
  remove(): void
}

const SIZE = '600M'

/** Why there can be no such disk here. */
export function noDisk(): string | undefined {
  if (process.platform !== 'linux') return 'loop devices are of Linux'
  if (process.getuid?.() !== 0) return 'only root mounts disks'
  return undefined
}

export function makeDisk(folder: string, name: string): Disk {
  const image = join(folder, `${name}.img`)
  run('truncate', ['--size', SIZE, image])
  run('mkfs.ext4', ['-q', '-F', image])
  return mounted(folder, name, image)
}

function mounted(folder: string, name: string, image: string): Disk {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  run('mount', ['-o', 'loop', image, path])
  return {
    path,
    copy(other) {
      const taken = join(folder, `${other}.img`)
      // What the file system still holds in memory is not in the file, as it would not be on the disk.
      run('cp', ['--sparse=always', image, taken])
      return mounted(folder, other, taken)
    },
    remove() {
      run('umount', ['--lazy', path])
      run('rm', ['-f', image])
    },
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
