import { shortProofs } from '../support/short-forms.ts'

await shortProofs('in browsers')
