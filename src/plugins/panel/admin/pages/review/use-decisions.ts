/** Decisions: sent while the next record is shown already, and taken back. */
import { useCallback, useRef, useState } from 'react';
import { sendBatch, Refused } from '../../parts/interface';
import { keepDraft } from './drafts';
import { decide, takeBack, type TypedDraft, type ReviewStep } from './steps';
import type { Encounter, RecordState } from './types';

/** What was sent together: one record, or a selection. */
interface Sent {
  readonly steps: readonly ReviewStep[];
  /** The versions that the reviews answered; null until then. */
  readonly versions: readonly number[] | null;
}

/** A decision that was refused. */
export interface Failure {
  readonly steps: readonly ReviewStep[];
  readonly refusal: Refused;
}

interface Options {
  readonly onFailure: (failure: Failure) => void;
  readonly onTakenBack: (steps: readonly ReviewStep[]) => void;
}

export interface Decision {
  readonly state: RecordState;
  readonly note: string | null;
}

export function useDecisions({ onFailure, onTakenBack }: Options) {
  const stack = useRef<Sent[]>([]);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const [count, setCount] = useState(0);
  const [isUnderWay, setUnderWay] = useState(false);

  const send = useCallback(
    (
      chosen: readonly { readonly record: Encounter; readonly draft: TypedDraft }[],
      decision: Decision,
    ): void => {
      const steps = chosen.map(({ record, draft }) =>
        decide(record, draft, decision, () => crypto.randomUUID()),
      );
      const sent: Sent = { steps, versions: null };
      stack.current.push(sent);
      setCount(stack.current.length);
      const work = async (): Promise<void> => {
        try {
          const versions = await sendBatch(steps.flatMap(({ operations }) => operations));
          let at = -1;
          const reviewed = steps.map(({ operations }) => {
            at += operations.length;
            return versions[at] ?? 0;
          });
          stack.current = stack.current.map((one) =>
            one === sent ? { steps, versions: reviewed } : one,
          );
          for (const { record } of steps) keepDraft(record.id, null);
        } catch (error) {
          stack.current = stack.current.filter((one) => one !== sent);
          setCount(stack.current.length);
          // With the record as it was seen: the page tells what has changed since.
          for (const { record, draft } of steps) keepDraft(record.id, draft);
          const refusal = error instanceof Refused ? error : new Refused(0, String(error));
          onFailure({ steps, refusal });
        }
      };
      // At once, whatever else is under way: the tab may be closed.
      last.current = work();
    },
    [onFailure],
  );

  const undo = useCallback(async (): Promise<void> => {
    await last.current;
    const sent = stack.current.at(-1);
    if (!sent?.versions) return;
    setUnderWay(true);
    try {
      const { steps, versions } = sent;
      await sendBatch(steps.flatMap((step, at) => takeBack(step, versions[at] ?? 0)));
      stack.current = stack.current.filter((one) => one !== sent);
      setCount(stack.current.length);
      for (const { record, draft } of steps) keepDraft(record.id, draft);
      onTakenBack(steps);
    } catch (error) {
      const refusal = error instanceof Refused ? error : new Refused(0, String(error));
      onFailure({ steps: sent.steps, refusal });
    } finally {
      setUnderWay(false);
    }
  }, [onFailure, onTakenBack]);

  return { send, undo, canUndo: count > 0 && !isUnderWay };
}
