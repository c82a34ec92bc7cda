import { manifest } from '../../../scripts/doors.ts'
import type { Fixture } from '../support/ground.ts'
import { addressOf, packagesOf } from '../support/installed.ts'
import { pageWith, whileServed } from '../support/serve.ts'
import { visit } from '../support/visit.ts'

/** A page without a bundler: its files as they are installed, found by an import map. */
export const importMap: Fixture = async ({ folder, browser }) => {
  const names = packagesOf(folder, manifest.name)
  const imports = {
    ...Object.fromEntries(names.map((name) => [name, addressOf(folder, name)])),
    [`${manifest.name}/inspector`]: `/node_modules/${manifest.name}/dist/inspector.js`,
  }
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`
  await whileServed(folder, { page: pageWith('/plain/main.js', map) }, (url) => visit(browser, url))
}
