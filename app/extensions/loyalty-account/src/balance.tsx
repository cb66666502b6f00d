import type { HistoryEntry, Tier, TierGoal, View } from '../../../program/answers.ts';
import { changeOf, sayNearest } from '../../../program/sentences.ts';
import { fill, type Words } from '../../../program/words.ts';
import type { Account } from './account.ts';
import { TWO_COLUMNS } from './rewards.tsx';

interface Shown {
  readonly view: View;
  /** The points that were just earned or spent. */
  readonly change: number | undefined;
  readonly words: Words;
}

export function Balance({ view, change, words }: Shown) {
  const { tier, points, rewards } = view;
  // Nothing is known, and the program cannot be reached.
  if (points === null && rewards === null) return null;
  return (
    <s-grid gridTemplateColumns={tier ? TWO_COLUMNS : '1fr'} gap="large">
      <Points view={view} change={change} words={words} />
      {tier && <TierProgress tier={tier} words={words} />}
    </s-grid>
  );
}

function Points({ view, change, words }: Shown) {
  const { points, cashback, expiring, asOf, rewards } = view;
  const { balance, cashback: ofCashback } = words.strings;
  const nearest = sayNearest(view, words);
  if (points === null) {
    return (
      <s-section heading={balance.heading}>
        <s-paragraph color="subdued">{balance.none}</s-paragraph>
      </s-section>
    );
  }
  return (
    <s-section heading={balance.heading}>
      <s-stack gap="small">
        <s-stack direction="inline" gap="small" alignItems="center">
          <s-heading accessibilityRole="presentation">{words.points(points)}</s-heading>
          {change !== undefined && (
            <s-text type="strong" tone={change > 0 ? 'success' : 'auto'}>
              {words.change(change)}
            </s-text>
          )}
          {cashback !== null && cashback > 0 && (
            <s-badge>{fill(ofCashback, { amount: words.money(cashback) })}</s-badge>
          )}
        </s-stack>
        {expiring && (
          <s-text tone="warning">
            {fill(balance.expiring, {
              points: words.points(expiring.points),
              date: words.date(expiring.at),
            })}
          </s-text>
        )}
        {nearest !== undefined && <s-text>{nearest}</s-text>}
        {asOf !== null && rewards === null && (
          <s-text color="subdued" type="small">
            {fill(balance.asOf, { date: words.date(asOf) })}
          </s-text>
        )}
      </s-stack>
    </s-section>
  );
}

function TierProgress({ tier, words }: { readonly tier: Tier; readonly words: Words }) {
  const { name, next } = tier;
  const { balance } = words.strings;
  return (
    <s-section heading={fill(balance.tier, { name })}>
      {next && (
        <s-stack gap="base">
          <s-text color="subdued">{fill(balance.next, { name: next.name })}</s-text>
          {next.goals.map((goal) => (
            <Goal key={goal.name} goal={goal} words={words} />
          ))}
        </s-stack>
      )}
    </s-section>
  );
}

function Goal({ goal, words }: { readonly goal: TierGoal; readonly words: Words }) {
  const text = words.progress(goal);
  return (
    <s-stack gap="small-300">
      <s-stack direction="inline" justifyContent="space-between">
        <s-text>{goal.name}</s-text>
        <s-text>{text}</s-text>
      </s-stack>
      <s-progress accessibilityLabel={`${goal.name}: ${text}`} max={100} value={goal.percent} />
    </s-stack>
  );
}

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
