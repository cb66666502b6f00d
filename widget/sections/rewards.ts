import type { Reward } from '../answers.ts';
import { build } from '../build-element.ts';
import { answered } from '../program.ts';
import type { View } from '../view.ts';
import { fill, type Words } from '../words.ts';

/** Every reward with its price and a button, or the reason why it cannot be redeemed. */
export function drawRewards(view: View): readonly Node[] {
  const { strings } = view.words;
  const offered = answered(view.model.rewards);
  if (!offered) return [];
  const { rewards } = offered;
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

function drawReward(reward: Reward, { model, words, actions, refusal }: View): Node {
  const { strings } = words;
  const { id, title, description, points, redeemable } = reward;
  const isRedeeming = model.redeeming === id;
  const price = fill(strings.rewards.redeem, { points: words.points(points) });
  const label = isRedeeming ? strings.rewards.redeeming : price;
  const why = whyNot(reward, words);
  const refused = refusal?.rewardId === id && refusal.sentence;
  const noteId = `reward-${id}-note`;
  const worth = words.worth(reward);
  return build(
    'li',
    { part: 'reward' },
    build(
      'div',
      { part: 'reward-text' },
      build('h3', { part: 'title' }, title),
      description !== '' && build('p', {}, description),
      worth !== undefined && worth !== title && build('p', { part: 'note' }, worth),
    ),
    build(
      'button',
      {
        part: 'button',
        type: 'button',
        'data-key': `redeem-${id}`,
        // The label contains the title: screen readers list buttons without their surroundings.
        'aria-label': `${label}: ${title}`,
        'aria-describedby': noteId,
        disabled: !redeemable,
        // Not `disabled` while the request runs: that would remove the focus.
        'aria-disabled': model.redeeming !== undefined && redeemable ? 'true' : undefined,
        'aria-busy': isRedeeming ? 'true' : undefined,
        click: () => actions.redeem(reward),
      },
      label,
    ),
    build('p', { part: refused ? 'error' : 'note', id: noteId }, refused || why),
  );
}

function whyNot({ redeemable, why, missingPoints }: Reward, words: Words): string {
  if (redeemable) return '';
  const { rewards, why: sentences } = words.strings;
  if (why === 'too-few-points' && missingPoints !== null) {
    return fill(rewards.missing, { points: words.points(missingPoints) });
  }
  return sentences[why ?? 'not-available'];
}
