import { Box, Button, Field, Flex, IconButton, Textarea, TextInput } from '@strapi/design-system';
import { Plus, Trash } from '@strapi/icons';
import { useFaults, usePart, type PartProps } from './form';
import { pairRowsOf, textsOfPairs, type PairRow, type PairTexts } from './pairs';
import { Faults } from './records';

interface Props extends PartProps {
  readonly isLong?: boolean;
  /** What the inputs and buttons of a row are called. */
  readonly words: Readonly<Record<'key' | 'text' | 'placeholder' | 'remove' | 'add', string>>;
  /** The error or hint beside a key. */
  readonly about?: (key: string) => string;
  /** The key of a new row. */
  readonly nextKey?: (rows: readonly PairRow[]) => string;
}

/** Texts by keys: a row for each. */
export function PairsPart({
  name,
  label,
  hint,
  words,
  about = () => '',
  nextKey = () => '',
  disabled = false,
  isLong = false,
}: Props) {
  const { value, change } = usePart<PairTexts>(name);
  const { text, parts } = useFaults(name);
  const rows = pairRowsOf(value);
  const kept = Object.keys(value ?? {});
  const put = (at: number, row: Partial<PairRow>): void =>
    change(textsOfPairs(rows.map((old, other) => (other === at ? { ...old, ...row } : old))));
  const Input = isLong ? Textarea : TextInput;

  return (
    <Flex direction="column" alignItems="stretch" gap={2}>
      {label === undefined ? null : (
        <Field.Root hint={hint}>
          <Field.Label>{label}</Field.Label>
          <Field.Hint />
        </Field.Root>
      )}
      {rows.map(({ key, text: written }, at) => {
        const fault = parts[kept[at] ?? ''];
        return (
          <Field.Root key={at} error={typeof fault === 'string' ? fault : undefined}>
            <Flex gap={2} alignItems="flex-start">
              <Box width="14rem">
                <TextInput
                  name={`${name}.${at}.key`}
                  aria-label={words.key}
                  placeholder={words.placeholder}
                  autoComplete="off"
                  disabled={disabled}
                  value={key}
                  endAction={<span>{about(key)}</span>}
                  onChange={({ currentTarget }) => put(at, { key: currentTarget.value })}
                />
              </Box>
              <Box flex="1">
                <Input
                  name={`${name}.${at}.text`}
                  aria-label={words.text}
                  autoComplete="off"
                  disabled={disabled}
                  value={written}
                  onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
                    put(at, { text: currentTarget.value })
                  }
                />
              </Box>
              {disabled ? null : (
                <IconButton
                  label={words.remove}
                  onClick={() => change(textsOfPairs(rows.filter((_, other) => other !== at)))}
                >
                  <Trash />
                </IconButton>
              )}
            </Flex>
            <Field.Error />
          </Field.Root>
        );
      })}
      <Faults texts={text === undefined ? [] : [text]} />
      {disabled ? null : (
        <Flex>
          <Button
            variant="tertiary"
            startIcon={<Plus />}
            onClick={() => change(textsOfPairs([...rows, { key: nextKey(rows), text: '' }]))}
          >
            {words.add}
          </Button>
        </Flex>
      )}
    </Flex>
  );
}
