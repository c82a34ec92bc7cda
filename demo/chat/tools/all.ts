import { calculator } from './calculator.ts'
import { fetchTool } from './fetch.ts'
import { javascript } from './javascript.ts'
import { notes } from './notes.ts'
import { timer } from './timer.ts'
import { Toolbox } from './tool.ts'

export const tools = new Toolbox([calculator, notes, fetchTool, timer, javascript])
