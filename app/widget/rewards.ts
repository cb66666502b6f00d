import type { Redemption, Reward } from '../program/answers.ts';
import { answered } from '../program/program.ts';
import { conditionsOf, redeemLabel } from '../program/sentences.ts';
import { fill } from '../program/words.ts';
import { build, type View } from './view.ts';

/** Every reward with its price and a button, or the reason why it cannot be redeemed. */
export function drawRewards(view: View): readonly Node[] {
  const { strings } = view.words;
  const rewards = answered(view.model.view)?.rewards;
  if (!rewards) return [];
  return [
    build('h2', { part: 'heading' }, strings.rewards.heading),
    rewards.length === 0
      ? build('p', { part: 'note' }, strings.rewards.none)
      : build(
          'ul',
          { part: 'list', role: 'list' },
          ...rewards.map((reward) => drawReward(reward, view)),
        ),
  ];
}

function drawReward(reward: Reward, view: View): Node {
  const { words } = view;
  const { id, title, description, points, kind } = reward;
  const result = view.result?.rewardId === id ? view.result : undefined;
  const worth = words.worth(reward);
  // Such a reward can be redeemed elsewhere only.
  const isOther = kind === 'other';
  return build(
    'li',
    { part: 'reward' },
    build(
      'div',
      { part: 'reward-text' },
      build('h3', { part: 'title' }, title),
      description !== '' && build('p', {}, description),
      worth !== undefined && worth !== title && build('p', { part: 'note' }, worth),
      isOther && build('p', { part: 'note' }, words.points(points)),
    ),
    ...(isOther ? [] : drawButton(reward, view)),
    build(
      'p',
      { part: result ? result.part : 'note', id: noteIdOf(reward) },
      result?.sentence ?? conditionsOf(reward, words),
    ),
  );
}

const noteIdOf = ({ id }: Reward): string => `reward-${id}-note`;

/** The button, and for cashback the field with the amount before it. */
function drawButton(reward: Reward, view: View): readonly Node[] {
  const { model, words, actions } = view;
  const { rewards } = words.strings;
  const { id, title, redeemable } = reward;
  const isRedeeming = model.redeeming === id;
  const label = isRedeeming ? rewards.redeeming : redeemLabel(reward, words);
  const field = redeemable ? drawAmount(reward, view) : undefined;
  const button = build(
    'button',
    {
      part: 'button',
      type: 'button',
      'data-key': `redeem-${id}`,
      // The label contains the title: screen readers list buttons without their surroundings.
      'aria-label': `${label}: ${title}`,
      'aria-describedby': noteIdOf(reward),
      disabled: !redeemable,
      // Not `disabled` while the request runs: that would remove the focus.
      'aria-disabled': model.redeeming !== undefined && redeemable ? 'true' : undefined,
      'aria-busy': isRedeeming ? 'true' : undefined,
      click() {
        if (!field) actions.redeem(reward);
        // The browser says what is wrong with the amount.
        else if (field.reportValidity()) actions.redeem(reward, field.valueAsNumber);
      },
    },
    label,
  );
  if (!field || !reward.cashback) return [button];
  const range = {
    least: words.money(reward.cashback.least),
    most: words.money(reward.cashback.most),
  };
  return [build('label', { part: 'amount' }, fill(rewards.amount, range), field), button];
}

function drawAmount({ id, cashback }: Reward, { amounts }: View): HTMLInputElement | undefined {
  if (!cashback) return undefined;
  const { least, most } = cashback;
  const field = build('input', {
    ...{ part: 'input', type: 'number', inputmode: 'decimal', required: true },
    ...{ min: least, max: most, step: 0.01, 'data-key': `amount-${id}` },
    input: () => amounts.set(id, field.value),
  });
  field.value = amounts.get(id) ?? String(most);
  return field;
}

/** The redemptions: their codes, and a sentence for those without a code yet. */
export function drawCodes(view: View): readonly Node[] {
  const redemptions = answered(view.model.view)?.redemptions ?? [];
  if (redemptions.length === 0) return [];
  return [
    build('h2', { part: 'heading' }, view.words.strings.codes.heading),
    build(
      'ul',
      { part: 'list', role: 'list' },
      ...redemptions.map((one) => drawRedemption(one, view)),
    ),
  ];
}

/** Where the focus goes after redeeming: to the copy button, or to the sentence shown until then. */
export function keyOf({ id }: Pick<Redemption, 'id'>): string {
  return `redemption-${id}`;
}

function drawRedemption(redemption: Redemption, { words, actions }: View): Node {
  const { title, state, code, validUntil } = redemption;
  const { codes } = words.strings;
  const shown = code === null ? undefined : build('code', { part: 'code' }, code);
  const isUsable = state === 'ready' && shown !== undefined;
  const until =
    isUsable && validUntil !== null && fill(codes.validUntil, { date: words.date(validUntil) });
  return build(
    'li',
    { part: `redemption redemption-${state}` },
    build('h3', { part: 'title' }, title),
    shown && build('p', {}, shown),
    isUsable &&
      build(
        'button',
        {
          part: 'button copy',
          type: 'button',
          'data-key': keyOf(redemption),
          'aria-label': `${codes.copy}: ${code}`,
          click: () => actions.copy(redemption, shown),
        },
        codes.copy,
      ),
    build(
      'p',
      { part: 'note', tabindex: -1, 'data-key': isUsable ? undefined : keyOf(redemption) },
      [words.state(state), until].filter(Boolean).join(' '),
    ),
  );
}
