import type { Redemption, Reward } from '../program/answers.ts';
import { answered } from '../program/program.ts';
import { canRedeem, conditionsOf, firstOf, redeemLabel, sayState } from '../program/sentences.ts';
import { fill } from '../program/words.ts';
import { build, type Child, type Confirmation, type View } from './view.ts';

export function drawRewards(view: View): readonly Child[] {
  const { strings } = view.words;
  const { rewards, loggedIn } = answered(view.model.view) ?? {};
  if (!rewards) return [];
  const first = firstOf(rewards, (one) => resultAt(redeemKey(one), view) !== undefined);
  const others = rewards.filter((reward) => !first.includes(reward));
  const listOf = (some: readonly Reward[]) =>
    build('ul', { part: 'list', role: 'list' }, ...some.map((reward) => drawReward(reward, view)));
  return [
    build('h2', { part: 'heading' }, strings.rewards.heading),
    !loggedIn && first[0] && build('p', { part: 'note' }, strings.why['not-logged-in']),
    first[0] ? listOf(first) : build('p', { part: 'note' }, strings.rewards.none),
    others[0] && build('details', {}, build('summary', {}, strings.rewards.others), listOf(others)),
  ];
}

function drawReward(reward: Reward, view: View): Node {
  const { words } = view;
  const { title, description, points, kind } = reward;
  const result = resultAt(redeemKey(reward), view);
  const isAsked = view.asking === redeemKey(reward);
  const worth = words.worth(reward);
  return build(
    'li',
    { part: 'reward' },
    build(
      'div',
      { part: 'reward-text' },
      build('h3', { part: 'title' }, title),
      description && build('p', {}, description),
      worth && worth !== title && build('p', { part: 'note' }, worth),
      kind === 'other' && build('p', { part: 'note' }, words.points(points)),
    ),
    ...(canRedeem(reward) ? drawButton(reward, view) : []),
    build(
      'p',
      { part: result ? result.part : 'note', id: noteIdOf(reward) },
      isAsked ? words.strings.rewards.question : (result?.sentence ?? conditionsOf(reward, words)),
    ),
  );
}

const resultAt = (key: string, { result }: View): View['result'] =>
  result?.keys.includes(key) ? result : undefined;

const noteIdOf = ({ id }: Reward): string => `reward-${id}-note`;

export const redeemKey = ({ id }: Pick<Reward, 'id'>): string => `redeem-${id}`;

/** The button, and for cashback the field with the amount before it; or the answers to the question before it is spent. */
function drawButton(reward: Reward, view: View): readonly Child[] {
  const { model, words, actions, amounts, asking } = view;
  const { rewards, codes } = words.strings;
  const { id, title, redeemable, cashback } = reward;
  const key = redeemKey(reward);
  const isAsked = asking === key;
  const isRedeeming = model.redeeming === id;
  const range = redeemable ? cashback : null;
  const redeem = (answer?: Confirmation) => actions.redeem(reward, field?.valueAsNumber, answer);
  const field =
    range &&
    build('input', {
      ...{ part: 'input', type: 'number', inputmode: 'decimal', required: true },
      ...{ min: range.least, max: range.most, step: 0.01, 'data-key': `amount-${id}` },
      value: amounts.get(id) ?? words.typed(range.most),
      input() {
        amounts.set(id, field?.value ?? '');
        name();
      },
    });
  const button = build('button', {
    part: 'button',
    'data-key': isAsked ? `${key}-yes` : key,
    'aria-describedby': noteIdOf(reward),
    disabled: !redeemable,
    // Not `disabled` while the request runs: that would remove the focus.
    'aria-disabled': redeemable && model.redeeming !== undefined && 'true',
    click() {
      if (isAsked) redeem('yes');
      // The browser says what is wrong with the amount.
      else if (!field || field.reportValidity()) redeem();
    },
  });
  function name(): void {
    const price = redeemLabel(
      reward,
      answered(model.view),
      words,
      field?.valueAsNumber || undefined,
    );
    const label = isRedeeming ? rewards.redeeming : price;
    button.textContent = label;
    // The label contains the title: screen readers list buttons without their surroundings.
    button.ariaLabel = `${label}: ${title}`;
  }
  name();
  if (!field) return [button];
  if (isAsked) {
    const no = { part: 'button copy', click: () => redeem('no') };
    return [button, build('button', no, codes.no)];
  }
  const limits = { least: words.money(range.least), most: words.money(range.most) };
  return [build('label', { part: 'amount' }, fill(rewards.amount, limits), field), button];
}

export function drawCodes(view: View): readonly Child[] {
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

/** Where the focus goes after redeeming: to the button that uses it, or to the sentence shown until then. */
export function keyOf({ id }: Pick<Redemption, 'id'>): string {
  return `redemption-${id}`;
}

function drawRedemption(redemption: Redemption, view: View): Node {
  const { words } = view;
  const { title, state, code } = redemption;
  const key = keyOf(redemption);
  const shown = code === null ? undefined : build('code', { part: 'code' }, code);
  const isUsable = state === 'ready' && shown !== undefined;
  const isAsked = isUsable && view.asking === key;
  const said = resultAt(key, view);
  return build(
    'li',
    { part: `redemption redemption-${state}` },
    build('h3', { part: 'title' }, title),
    shown && build('p', {}, shown),
    ...(isAsked ? drawConfirmation(redemption, view) : []),
    ...(isUsable && !isAsked ? drawUses(redemption, shown, view) : []),
    said && build('p', { part: said.part }, said.sentence),
    build(
      'p',
      { part: 'note', id: `${key}-note`, tabindex: -1, 'data-key': isUsable ? undefined : key },
      isAsked ? words.strings.codes.confirm : sayState(redemption, words),
    ),
  );
}

/** Use it, copy it, give it back: the first is what nearly everybody wants. */
function drawUses(redemption: Redemption, shown: HTMLElement, view: View): readonly Child[] {
  const { actions, busy, words } = view;
  const { codes } = words.strings;
  const { id, code, takeBackUntil } = redemption;
  const use = busy === id ? words.strings.loading : codes.use;
  return [
    drawPress(redemption, view, '', use, () => actions.use(redemption)),
    drawPress(redemption, view, '-copy', codes.copy, () => actions.copy(code ?? '', shown)),
    takeBackUntil &&
      drawPress(redemption, view, '-back', codes.takeBack, () => actions.takeBack(redemption)),
  ];
}

function drawConfirmation(redemption: Redemption, view: View): readonly Child[] {
  const { yes, no } = view.words.strings.codes;
  const { takeBack } = view.actions;
  return [
    drawPress(redemption, view, '-yes', yes, () => takeBack(redemption, 'yes')),
    drawPress(redemption, view, '-no', no, () => takeBack(redemption, 'no')),
  ];
}

/** One of the buttons of a redemption: the first of them has no `name`. */
function drawPress(
  redemption: Redemption,
  { busy }: View,
  name: string,
  label: string,
  click: () => void,
): Node {
  const key = keyOf(redemption);
  return build(
    'button',
    {
      ...{ part: `button${name && ' copy'}`, 'data-key': key + name, click },
      // Screen readers list buttons without their surroundings.
      'aria-label': `${label}: ${redemption.code}`,
      'aria-describedby': `${key}-note`,
      'aria-disabled': busy && 'true',
    },
    label,
  );
}

/** The customer's own link for friends, with ways to send it. */
export function drawReferral({ model, words, actions }: View): readonly Child[] {
  const referral = answered(model.view)?.referral;
  if (!referral) return [];
  const { heading, share, copy } = words.strings.referral;
  const { url, whatsappUrl } = referral;
  const shown = build('span', { part: 'referral-link' }, url);
  const button = (label: string, click: () => void) =>
    build('button', { part: 'button copy', 'data-key': label, click }, label);
  // Missing in some browsers on desktops.
  const canShare = 'share' in navigator;
  return [
    build('h2', { part: 'heading' }, heading),
    build('p', {}, shown),
    build(
      'p',
      { part: 'share' },
      // The shopper may change their mind, which rejects.
      canShare && button(share, () => void navigator.share({ url }).catch(() => {})),
      button(copy, () => actions.copy(url, shown)),
      whatsappUrl &&
        build(
          'a',
          { part: 'link', href: whatsappUrl, target: '_blank', 'data-key': 'whatsapp' },
          'WhatsApp',
        ),
    ),
  ];
}
