import type { Me, TierGoal } from '../../../program/answers.ts';
import { fill, type Words } from '../../../program/words.ts';

interface Shown {
  readonly standing: Me;
  readonly words: Words;
}

/** Side by side where there is room. */
const COLUMNS = '@container (inline-size > 640px) 1fr 1fr, 1fr';

export function Balance({ standing, words }: Shown) {
  return (
    <s-grid gridTemplateColumns={standing.tier ? COLUMNS : '1fr'} gap="large">
      <Points standing={standing} words={words} />
      {standing.tier && <TierProgress tier={standing.tier} words={words} />}
    </s-grid>
  );
}

function Points({ standing, words }: Shown) {
  const { points, cashback, expiring, asOf } = standing;
  const { balance, cashback: ofCashback } = words.strings;
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
        {asOf !== null && (
          <s-text color="subdued" type="small">
            {fill(balance.asOf, { date: words.date(asOf) })}
          </s-text>
        )}
      </s-stack>
    </s-section>
  );
}

interface Progress {
  readonly tier: NonNullable<Me['tier']>;
  readonly words: Words;
}

function TierProgress({ tier: { name, next }, words }: Progress) {
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
  const said = fill(words.strings.balance.progress, {
    value: words.number(goal.value),
    goal: words.number(goal.goal),
  });
  return (
    <s-stack gap="small-300">
      <s-stack direction="inline" justifyContent="space-between">
        <s-text>{goal.name}</s-text>
        <s-text>{said}</s-text>
      </s-stack>
      <s-progress
        accessibilityLabel={`${goal.name}: ${said}`}
        max={100}
        value={Math.min(100, Math.max(0, goal.percent))}
      />
    </s-stack>
  );
}
