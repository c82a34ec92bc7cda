import { describe } from 'vitest'
import { pollingLaws } from '../support/polling-laws.ts'

describe('without channels, behind the worker', () => pollingLaws('auto'))
describe('without channels, in this thread', () => pollingLaws(false))
