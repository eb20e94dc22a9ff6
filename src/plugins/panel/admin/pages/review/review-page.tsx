import { useCallback, useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { useNotification } from '@strapi/strapi/admin';
import { Box, Flex, Main } from '@strapi/design-system';
import { styled } from 'styled-components';
import type { Pictures } from '../../parts/pictures';
import { Actions, Empty } from './actions';
import { Beside } from './beside';
import { Conflict } from './conflict';
import { Details } from './details';
import { HelpDialog, RejectDialog } from './dialogs';
import { readDraft } from './drafts';
import { Photographs } from './photographs';
import { QueueList } from './queue';
import { emptyDraft, fromPhotographs, type Edits } from './steps';
import { authorText, useSay } from './texts';
import type { Encounter, IncludedRecords } from './types';
import { useBeside } from './use-beside';
import { useCannedNotes } from './use-canned-notes';
import { useDecisions, type Decision, type Failure } from './use-decisions';
import { useKeys } from './use-keys';
import { usePageFilter } from './use-page-filter';
import { useQueue } from './use-queue';
import { useRecord } from './use-record';

const Columns = styled.div`
  display: grid;
  grid-template-columns: 260px minmax(0, 1fr) 384px;
  height: 100vh;
  > * {
    min-height: 0;
    overflow: auto;
    border-inline-end: 1px solid ${({ theme }) => theme.colors.neutral150};
  }
  @media (max-width: 1100px) {
    grid-template-columns: 200px minmax(0, 1fr);
    grid-template-rows: 55vh auto;
    height: auto;
    > :nth-child(3) {
      grid-column: 1 / -1;
    }
  }
`;

/** The status of a record that has changed. */
const MOVED = 412;

/** The record that is open, or the first one, and the one that is decided on after it. */
function placeIn(records: readonly Encounter[], open: string | null) {
  const place = Math.max(
    0,
    records.findIndex(({ id }) => id === open),
  );
  const next = records[place + 1] ?? records[place - 1] ?? null;
  return { place, record: records[place] ?? null, next };
}

export function ReviewPage({ pictures }: { readonly pictures: Pictures }) {
  const say = useSay();
  const intl = useIntl();
  const { toggleNotification } = useNotification();
  const filter = usePageFilter();
  const queue = useQueue(filter, filter.isMarkedOnly);
  const notes = useCannedNotes();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [togetherWith, setTogetherWith] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'reject' | 'help' | null>(null);
  const [photographAt, setPhotographAt] = useState(0);
  const [known, setKnown] = useState<IncludedRecords>({});
  const taxonInput = useRef<HTMLInputElement>(null);
  const individualInput = useRef<HTMLInputElement>(null);

  const { records, total, refresh, put } = queue;
  const { place, record, next } = placeIn(records, filter.open);
  const opened = useRecord(record, next, pictures);
  const context = useBeside(record, opened.assets);
  const included: IncludedRecords = {
    taxonomy: { ...queue.included.taxonomy, ...known.taxonomy },
    individual: { ...queue.included.individual, ...known.individual },
    user: { ...queue.included.user },
  };
  const isTogether = record !== null && togetherWith === record.id;

  // A record that the address named first may not be on the first page of the queue.
  const linked = useRef(filter.open);
  useEffect(() => {
    const id = linked.current;
    if (total === null || id === null) return;
    linked.current = null;
    if (records.some((one) => one.id === id)) return;
    refresh(id)
      .then((one) => one?.state === 'pending' && put(one))
      .catch(() => undefined);
  }, [total, records, refresh, put]);

  const open = useCallback(
    (id: string | null): void => {
      setPhotographAt(0);
      filter.change({ open: id });
    },
    [filter],
  );

  /** Shows records as they are now, the first of them open. */
  const comeBackTo = useCallback(
    async (steps: readonly { readonly record: Encounter }[]): Promise<void> => {
      for (const step of steps) {
        const now = await queue.refresh(step.record.id).catch(() => step.record);
        if (now) queue.put(now);
      }
      open(steps[0]?.record.id ?? null);
    },
    [queue, open],
  );
  const onFailure = useCallback(
    ({ steps, refusal }: Failure): void => {
      const isMoved = refusal.status === MOVED;
      const text = intl.formatMessage(
        {
          id: isMoved ? 'panel.reviews.moved' : 'panel.reviews.refused',
          defaultMessage: refusal.key,
        },
        { reason: refusal.key },
      );
      toggleNotification({ type: isMoved ? 'warning' : 'danger', message: text });
      void comeBackTo(steps);
    },
    [intl, toggleNotification, comeBackTo],
  );
  const onTakenBack = useCallback(
    (steps: readonly { readonly record: Encounter }[]): void => {
      toggleNotification({ type: 'info', message: say('undone', { count: steps.length }) });
      void comeBackTo(steps);
    },
    [toggleNotification, say, comeBackTo],
  );
  const { send, undo, canUndo } = useDecisions({ onFailure, onTakenBack });

  /** Those that a decision is over: the selection, the record's event, or the record. */
  const chosen = (): readonly Encounter[] => {
    if (selected.size > 0) return records.filter(({ id }) => selected.has(id));
    if (!record) return [];
    const others = isTogether ? (context?.event.records ?? []) : [];
    return [record, ...others.filter(({ state }) => state === 'pending')];
  };
  const settle = (decision: Decision): void => {
    const over = chosen();
    if (over.length === 0 || opened.moved.length > 0) return;
    const draftOf = (one: Encounter) =>
      one.id === record?.id && opened.draft ? opened.draft : (readDraft(one.id) ?? emptyDraft(one));
    send(
      over.map((one) => ({ record: one, draft: draftOf(one) })),
      decision,
    );
    const gone = new Set(over.map(({ id }) => id));
    const following = [...records.slice(place), ...records.slice(0, place)].find(
      ({ id }) => !gone.has(id),
    );
    setSelected(new Set());
    setDialog(null);
    queue.remove([...gone]);
    open(following?.id ?? null);
  };

  const step = (by: number): void => {
    const to = records[place + by];
    if (to) open(to.id);
  };
  const skip = (): void => {
    if (!record) return;
    queue.setMark(record.id, true);
    step(1);
  };
  const select = (): void => {
    if (!record) return;
    const ids = new Set(selected);
    if (!ids.delete(record.id)) ids.add(record.id);
    setSelected(ids);
  };
  const taken: Edits = fromPhotographs(opened.assets);
  const canTake = Object.keys(taken).length > 0;
  const show = (): void =>
    setPhotographAt((at) => (record ? (at + 1) % Math.max(1, record.assets.length) : 0));

  useKeys(
    {
      a: () => settle({ state: 'approved', note: null }),
      r: () => chosen().length > 0 && setDialog('reject'),
      s: skip,
      x: select,
      j: () => step(1),
      k: () => step(-1),
      ' ': show,
      z: () => void (canUndo && undo()),
      e: () => canTake && opened.edit(taken),
      t: () => taxonInput.current?.focus(),
      i: () => individualInput.current?.focus(),
      '?': () => setDialog('help'),
    },
    dialog !== null,
  );

  const author = included.user?.[record?.owner ?? '']?.display_name ?? null;
  return (
    <Main>
      <Columns>
        <QueueList
          queue={{ ...queue, included }}
          current={record?.id ?? null}
          selected={selected}
          q={filter.q}
          isMarkedOnly={filter.isMarkedOnly}
          author={authorText(filter.owner, included, say)}
          onFilter={(changes) => filter.change({ ...changes, open: null })}
          onOpen={open}
          onHelp={() => setDialog('help')}
        />
        {record === null ? (
          <Empty queue={queue} canUndo={canUndo} onUndo={() => void undo()} />
        ) : (
          <>
            <Photographs
              ids={record.assets}
              assets={opened.assets}
              at={photographAt}
              onShow={setPhotographAt}
            />
            <Flex direction="column" alignItems="stretch" background="neutral0">
              <Box flex="1" padding={4} overflow="auto">
                <Flex direction="column" alignItems="stretch" gap={4}>
                  {opened.moved.length === 0 ? null : (
                    <Conflict
                      moved={opened.moved}
                      included={included}
                      onTakeTheirs={(name) => opened.forget(name as keyof Edits)}
                      onGoOn={opened.accept}
                    />
                  )}
                  {opened.draft === null ? null : (
                    <Details
                      key={record.id}
                      record={record}
                      draft={opened.draft}
                      included={included}
                      taxonInput={taxonInput}
                      individualInput={individualInput}
                      canTake={canTake}
                      onTake={() => opened.edit(taken)}
                      onEdit={opened.edit}
                      onNewIndividual={opened.setNewIndividual}
                      onKnown={({ taxon, individual }) =>
                        setKnown((before) => ({
                          taxonomy: { ...before.taxonomy, ...(taxon ? { [taxon.id]: taxon } : {}) },
                          individual: {
                            ...before.individual,
                            ...(individual ? { [individual.id]: individual } : {}),
                          },
                        }))
                      }
                    />
                  )}
                  <Beside
                    record={record}
                    context={context}
                    author={author}
                    isTogether={isTogether}
                    onTogether={(isOn) => setTogetherWith(isOn ? record.id : null)}
                    onAuthor={() => filter.change({ owner: record.owner, open: record.id })}
                  />
                </Flex>
              </Box>
              <Actions
                count={chosen().length}
                isOff={opened.moved.length > 0}
                canUndo={canUndo}
                onApprove={() => settle({ state: 'approved', note: null })}
                onReject={() => setDialog('reject')}
                onSkip={skip}
                onUndo={() => void undo()}
              />
            </Flex>
          </>
        )}
      </Columns>
      {dialog === 'reject' ? (
        <RejectDialog
          count={chosen().length}
          notes={notes}
          onReject={(note) => settle({ state: 'rejected', note })}
          onClose={() => setDialog(null)}
        />
      ) : null}
      {dialog === 'help' ? <HelpDialog onClose={() => setDialog(null)} /> : null}
    </Main>
  );
}
