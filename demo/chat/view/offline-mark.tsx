import type { JSX } from 'preact'
import { readyOffline } from '../offline/register.ts'
import { useStore } from './use-store.ts'

export function OfflineMark(): JSX.Element | null {
  const isReady = useStore(readyOffline)
  return isReady ? (
    <p class="offline" title="All of this works without a network.">
      Ready offline
    </p>
  ) : null
}
