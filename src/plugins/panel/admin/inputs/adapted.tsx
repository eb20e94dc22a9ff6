/** Inputs of Strapi's with what they lack for those who do not see them, and for managers of passwords. */
import { useEffect, useRef, type ComponentProps } from 'react';
import { Box } from '@strapi/design-system';
import { InputRenderer } from '@strapi/strapi/admin';
import type { InputProps } from './records/form';

type Given = ComponentProps<typeof InputRenderer>;

/** The password of somebody else's account: Strapi's input names a token that browsers do not know. */
export function PasswordInput(props: InputProps) {
  const given = { ...props, type: 'password', autoComplete: 'new-password' } as unknown as Given;
  return <InputRenderer {...given} />;
}

/** JSON as text: the editor in Strapi's input has no name. */
export function JsonInput(props: InputProps) {
  const box = useRef<HTMLDivElement>(null);
  const { label } = props;
  useEffect(() => {
    if (!box.current || typeof label !== 'string') return undefined;
    const within = box.current;
    const name = (): void =>
      within.querySelector('[role=textbox]')?.setAttribute('aria-label', label);
    name();
    // The editor is made after its input.
    const observer = new MutationObserver(name);
    observer.observe(within, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [label]);
  return (
    <Box ref={box}>
      <InputRenderer {...({ ...props, type: 'json' } as unknown as Given)} />
    </Box>
  );
}
