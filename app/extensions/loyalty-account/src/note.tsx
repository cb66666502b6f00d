import type { Note as Shown } from './account.ts';

interface Props {
  readonly note: Shown | undefined;
  /** Shown while there is no result. */
  readonly otherwise: string;
}

/** A live region: a screen reader reads its text out when it changes. */
export function Note({ note, otherwise }: Props) {
  const tone = note?.kind === 'failed' ? 'critical' : 'success';
  return (
    <s-stack accessibilityRole="status">
      {note ? (
        <s-text tone={tone}>{note.sentence}</s-text>
      ) : (
        otherwise !== '' && <s-text color="subdued">{otherwise}</s-text>
      )}
    </s-stack>
  );
}
