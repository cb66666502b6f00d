import type { HistoryEntry } from '../../../program/answers.ts';
import { fill } from '../../../program/words.ts';
import type { Account } from './account.ts';
import { changeOf } from './point-change.ts';

export function History({ account }: { readonly account: Account }) {
  const { words, strings, history } = account;
  const { entries, hasMore, failure } = history;
  return (
    <s-section heading={strings.history.heading}>
      <s-stack gap="base">
        {entries.length === 0 && !failure && (
          <s-paragraph color="subdued">{strings.history.none}</s-paragraph>
        )}
        <s-stack gap="small" accessibilityRole="unordered-list">
          {entries.map((entry, i) => (
            <Entry key={i} entry={entry} account={account} />
          ))}
        </s-stack>
        {failure && <s-text tone="critical">{words.failure(failure)}</s-text>}
        {(hasMore || failure) && (
          <s-button onClick={() => void account.showMore()}>
            {failure ? words.strings.tryAgain : strings.history.more}
          </s-button>
        )}
      </s-stack>
    </s-section>
  );
}

interface EntryProps {
  readonly account: Account;
  readonly entry: HistoryEntry;
}

function Entry({ account, entry }: EntryProps) {
  const { words, strings } = account;
  const { at, title, code, cancelled, kind, tier } = entry;
  const said =
    kind === 'tier' && tier !== null ? fill(strings.history.tier, { name: tier }) : title;
  const facts = [
    at === null ? '' : words.date(at),
    code === null ? '' : fill(strings.history.code, { code }),
    cancelled ? strings.history.cancelled : '',
  ];
  return (
    <s-grid accessibilityRole="list-item" gridTemplateColumns="1fr auto" gap="base">
      <s-stack>
        <s-text type={cancelled ? 'redundant' : 'generic'}>{said}</s-text>
        <s-text color="subdued" type="small">
          {facts.filter(Boolean).join(' · ')}
        </s-text>
      </s-stack>
      <s-text type={cancelled ? 'redundant' : 'strong'}>{changeOf(entry, words)}</s-text>
    </s-grid>
  );
}
