import type { Note as Shown } from './account.ts';

interface Props {
  readonly note: Shown | undefined;
  /** False: only screen readers get a good result, because the page shows it in another way. */
  readonly isShown?: boolean;
  /** Shown while there is no result. */
  readonly otherwise: string;
}

/** A live region: a screen reader reads its text out when it changes. */
export function Note({ note, isShown = true, otherwise }: Props) {
  const isFailed = note?.kind === 'failed';
  const visibility = isShown || isFailed ? 'visible' : 'exclusive';
  return (
    <s-stack accessibilityRole="status">
      {note ? (
        <s-text tone={isFailed ? 'critical' : 'success'} accessibilityVisibility={visibility}>
          {note.sentence}
        </s-text>
      ) : (
        otherwise !== '' && <s-text color="subdued">{otherwise}</s-text>
      )}
    </s-stack>
  );
}
