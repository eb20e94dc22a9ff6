/**
 * Strapi's input of a relation takes a text that nothing has as its value: Enter then tells of an error, and the text stays in
 * the box as if it were chosen. Its component can only be replaced as a whole, so this watches the page.
 */

/** The boxes of relations: ours, within lists of records, have a dot in their names. */
const PICKERS = 'main input[role=combobox][aria-autocomplete=list]:not([name*="."])';

/** Milliseconds after which a choice that was made with the mouse has reached the form. */
const CHOSEN_BY_THEN = 300;

/** Takes away a text that chooses nothing, with Enter, or when the box is left. To be called once. */
export function clearUnchosen(page: Document): void {
  page.addEventListener('keydown', onKey, { capture: true });
  page.addEventListener('focusout', ({ target }) => {
    const box = pickerOf(target);
    if (box) setTimeout(() => page.activeElement !== box && clear(box), CHOSEN_BY_THEN);
  });
}

function onKey(event: KeyboardEvent): void {
  const box = ['Enter', 'Tab'].includes(event.key) ? pickerOf(event.target) : null;
  if (!box || box.value === '' || box.getAttribute('aria-activedescendant')) return;
  clear(box);
  if (event.key === 'Tab') return;
  event.preventDefault();
  event.stopPropagation();
}

const pickerOf = (target: EventTarget | null): HTMLInputElement | null =>
  target instanceof HTMLInputElement && target.matches(PICKERS) ? target : null;

/** Empties a box as if its user had done it, which React hears of. */
function clear(box: HTMLInputElement): void {
  if (box.value === '') return;
  // Past React's own property, which would take the change for its own.
  Reflect.set(HTMLInputElement.prototype, 'value', '', box);
  box.dispatchEvent(new Event('input', { bubbles: true }));
}
