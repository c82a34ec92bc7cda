import { shortProofs } from '../support/short-forms.ts'

await shortProofs('on Node, alone')
