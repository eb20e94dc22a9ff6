import { useEffect, useRef } from 'react';

/** By the key that is pressed, as `KeyboardEvent.key` in lower case. */
export type Keys = Readonly<Record<string, () => void>>;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** What the space bar operates itself, but for a row of the queue, which is open already. */
const OPERATED = 'button:not([aria-current=true]), a, [role=checkbox]';

const isOperating = (key: string, target: EventTarget | null): boolean =>
  key === ' ' && target instanceof Element && target.closest(OPERATED) !== null;

/** Listens to keys of the page: not within inputs, not in a dialog, and not those of browser and system. */
export function useKeys(keys: Keys, isOff: boolean): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    if (isOff) return undefined;
    const hear = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented)
        return;
      if (isOperating(event.key, event.target)) return;
      if (isTyping(event.target) || document.querySelector('[role=dialog], [role=menu]')) return;
      const act = current.current[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, [isOff]);
}
