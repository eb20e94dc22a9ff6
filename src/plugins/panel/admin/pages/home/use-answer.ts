import { useCallback, useEffect, useState } from 'react';

/** What a call has answered: null while it has not. */
export interface Answered<T> {
  readonly value: T | null;
  readonly hasFailed: boolean;
  readonly again: () => void;
}

/** Calls once, and when it is asked to call again. @param call the same function each time */
export function useAnswer<T>(call: () => Promise<T>): Answered<T> {
  const [value, setValue] = useState<T | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    call().then(
      (answer) => {
        if (!isCurrent) return;
        setValue(answer);
        setFailed(false);
      },
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [call, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  return { value, hasFailed, again };
}
