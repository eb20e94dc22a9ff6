import { useState } from 'react';
import { Button, Flex, Modal, Radio, Typography } from '@strapi/design-system';
import { unstable_useDocumentLayout as useDocumentLayout, useForm } from '@strapi/strapi/admin';
import { useIntl } from 'react-intl';
import { useValueText } from '../inputs/choice-input';
import { PlainTable } from '../parts/plain-table';
import { usePanelTexts } from '../parts/texts';
import { changedFields, valueLines, type RefusedSave, type FormValues } from './changes';

interface Props {
  readonly model: string;
  readonly refused: RefusedSave;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The fields that were typed or have been changed meanwhile, side by side. */
export default function ConflictDialog({ model, refused, onClose, onDone }: Props) {
  const say = usePanelTexts('conflict');
  const labelOf = useLabels(model);
  const textsOf = useTexts(model);
  const now = useForm('ConflictDialog', (form) => form.initialValues) as FormValues;
  const values = useForm('ConflictDialog', (form) => form.values) as FormValues;
  const setValues = useForm('ConflictDialog', (form) => form.setValues);
  const fields = changedFields(refused, now);
  // What nobody else has changed is mine without a question.
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({});
  const isMine = (name: string, isContested: boolean): boolean => chosen[name] ?? !isContested;
  const typed = fields.filter((field) => field.typed !== undefined);

  const take = (): void => {
    const mine = typed.filter(({ name, isContested }) => isMine(name, isContested));
    setValues({ ...values, ...Object.fromEntries(mine.map((field) => [field.name, field.typed])) });
    onDone();
  };

  return (
    <Modal.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Modal.Content>
        <Modal.Header>
          <Modal.Title>{say('title')}</Modal.Title>
        </Modal.Header>
        <Modal.Body>
          <Flex direction="column" alignItems="stretch" gap={4}>
            <Typography>{say('explain')}</Typography>
            <PlainTable>
              <thead>
                <tr>
                  {['field', 'before', 'now', 'typed'].map((id) => (
                    <th key={id} scope="col">
                      {say(id)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {fields.map(({ name, before, now: stored, typed: own, isContested }) => (
                  <tr key={name} data-field={name}>
                    <th scope="row">{labelOf(name)}</th>
                    <td>
                      <Lines texts={textsOf(name, before)} />
                    </td>
                    <td>
                      <Lines texts={textsOf(name, stored)} />
                    </td>
                    <td>
                      {own === undefined ? '–' : <Lines texts={textsOf(name, own)} />}
                      {own === undefined ? null : (
                        <Radio.Group
                          aria-label={labelOf(name)}
                          value={isMine(name, isContested) ? 'mine' : 'theirs'}
                          onValueChange={(value) =>
                            setChosen({ ...chosen, [name]: value === 'mine' })
                          }
                        >
                          <Radio.Item value="mine">{say('mine')}</Radio.Item>
                          <Radio.Item value="theirs">{say('theirs')}</Radio.Item>
                        </Radio.Group>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </PlainTable>
          </Flex>
        </Modal.Body>
        <Modal.Footer>
          <Button variant="tertiary" onClick={onDone}>
            {say('drop')}
          </Button>
          <Button onClick={take}>{say('take')}</Button>
        </Modal.Footer>
      </Modal.Content>
    </Modal.Root>
  );
}

const Lines = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text, at) => <div key={at}>{text}</div>);

/** The labels of the inputs of a type. */
function useLabels(model: string): (name: string) => string {
  const intl = useIntl();
  const { edit } = useDocumentLayout(model);
  const labels = edit.metadatas as Readonly<Record<string, { readonly label?: string }>>;
  return (name) =>
    intl.formatMessage({
      id: `content-manager.content-types.${model}.${name}`,
      defaultMessage: labels[name]?.label ?? name,
    });
}

/** A value of an attribute in lines. */
function useTexts(model: string): (name: string, value: unknown) => readonly string[] {
  const intl = useIntl();
  const valueText = useValueText();
  return (name, value) => {
    if (typeof value === 'string') return [valueText(model, name, value)];
    if (typeof value === 'number')
      return [value.toLocaleString(intl.locale, { maximumFractionDigits: 7 })];
    if (typeof value === 'boolean')
      return [
        intl.formatMessage({
          id: `app.components.ToggleCheckbox.${value ? 'on' : 'off'}-label`,
          defaultMessage: String(value),
        }),
      ];
    return valueLines(value);
  };
}
