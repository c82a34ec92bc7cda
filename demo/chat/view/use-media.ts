import { useEffect, useReducer, useState } from 'preact/hooks'

/** Whether the window is as a media query says, drawn again when that changes. */
export function useMedia(query: string): boolean {
  const [media] = useState(() => matchMedia(query))
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const onChange = (): void => redraw(undefined)
    media.addEventListener('change', onChange)
    return () => media.removeEventListener('change', onChange)
  }, [media])
  return media.matches
}
