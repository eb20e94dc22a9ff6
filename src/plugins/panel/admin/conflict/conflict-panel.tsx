/**
 * After a save that was refused because somebody else has saved meanwhile: what was typed stands beside what is stored now,
 * and is put into the form again field by field. Strapi loads the document anew after each save, and its form forgets what
 * was typed.
 */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button, Flex, Typography } from '@strapi/design-system';
import { useForm } from '@strapi/strapi/admin';
import { usePanelTexts } from '../parts/texts';
import type { Description, PageProps, SidePanel } from '../review/content-manager';
import type { RefusedSave, FormValues } from './changes';

const ConflictDialog = lazy(() => import('./conflict-dialog'));

interface Refused {
  readonly of: string;
  readonly save: RefusedSave;
}

/** A save of this document that the form does not show any more; null without one. */
function useRefusedSave(id: string): {
  readonly refused: RefusedSave | null;
  readonly close: () => void;
} {
  const values = useForm('useRefusedSave', (form) => form.values) as FormValues;
  const before = useForm('useRefusedSave', (form) => form.initialValues) as FormValues;
  const isModified = useForm('useRefusedSave', (form) => form.modified);
  // The server tells it at this attribute.
  const fault = useForm('useRefusedSave', (form) => (form.errors as FormValues)['version']);
  const last = useRef<Refused | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  useEffect(() => {
    if (isModified) last.current = { of: id, save: { before, typed: values } };
  }, [id, isModified, before, values]);
  useEffect(() => {
    if (fault !== undefined) setRefused(last.current);
  }, [fault]);
  return { refused: refused?.of === id ? refused.save : null, close: () => setRefused(null) };
}

export const ConflictPanel: Description<PageProps, SidePanel> = ({ model, document }) => {
  const say = usePanelTexts('conflict');
  const { refused, close } = useRefusedSave(document?.documentId ?? '');
  const [isOpen, setIsOpen] = useState(true);
  if (refused === null) return null;
  return {
    title: say('title'),
    content: (
      <Flex direction="column" alignItems="stretch" gap={2} width="100%">
        <Typography>{say('about')}</Typography>
        <Button variant="secondary" size="S" onClick={() => setIsOpen(true)}>
          {say('compare')}
        </Button>
        {isOpen ? (
          <Suspense fallback={null}>
            <ConflictDialog
              model={model}
              refused={refused}
              onClose={() => setIsOpen(false)}
              onDone={() => {
                setIsOpen(true);
                close();
              }}
            />
          </Suspense>
        ) : null}
      </Flex>
    ),
  };
};
