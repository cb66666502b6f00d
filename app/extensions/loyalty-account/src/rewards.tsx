import { useSignal } from '@preact/signals';
import type { Redemption, Referral, Reward } from '../../../program/answers.ts';
import { answered } from '../../../program/program.ts';
import {
  asksFirst,
  canRedeem,
  conditionsOf,
  firstOf,
  redeemLabel,
  sayState,
  useLink,
} from '../../../program/sentences.ts';
import { fill } from '../../../program/words.ts';
import type { Account, Note as ShownNote } from './account.ts';

interface Props {
  readonly account: Account;
  /** Null: the program cannot be reached. */
  readonly rewards: readonly Reward[] | null;
}

export function Rewards({ account, rewards }: Props) {
  const { strings } = account.words;
  const isOpen = useSignal(false);
  if (!rewards) return null;
  const wasPressed = (one: Reward) =>
    account.notes.has(`reward-${one.id}`) || account.newRedemptionsOf(one).length > 0;
  const shown = isOpen.value ? rewards : firstOf(rewards, wasPressed);
  return (
    <s-section heading={strings.rewards.heading}>
      {rewards.length === 0 ? (
        <s-paragraph color="subdued">{strings.rewards.none}</s-paragraph>
      ) : (
        <s-grid gridTemplateColumns={TWO_COLUMNS} gap="base" accessibilityRole="unordered-list">
          {shown.map((reward) => (
            <Offer key={reward.id} account={account} reward={reward} />
          ))}
        </s-grid>
      )}
      {shown.length < rewards.length && (
        <s-box paddingBlock="base none">
          <s-button
            onClick={() => {
              isOpen.value = true;
            }}
          >
            {strings.rewards.others}
          </s-button>
        </s-box>
      )}
    </s-section>
  );
}

interface OfferProps {
  readonly account: Account;
  readonly reward: Reward;
}

function Offer({ account, reward }: OfferProps) {
  const { words, notes } = account;
  const { id, title, description, points, kind } = reward;
  const worth = words.worth(reward);
  const codes = account.newRedemptionsOf(reward);
  return (
    <s-grid-item accessibilityRole="list-item" border="base" borderRadius="base" padding="base">
      <s-stack gap="small">
        <s-heading>{title}</s-heading>
        {description !== '' && <s-paragraph>{description}</s-paragraph>}
        {worth !== undefined && worth !== title && <s-text color="subdued">{worth}</s-text>}
        {kind === 'other' && <s-text color="subdued">{words.points(points)}</s-text>}
        {canRedeem(reward) && <Redeem account={account} reward={reward} />}
        {codes.map((redemption) => (
          <Code key={redemption.id} account={account} redemption={redemption} />
        ))}
        <Note
          note={notes.get(`reward-${id}`)}
          isShown={codes.length === 0}
          otherwise={noteOf(reward, account)}
        />
      </s-stack>
    </s-grid-item>
  );
}

/** This page has no cart to speak of. */
function noteOf(reward: Reward, { words, strings }: Account): string {
  return reward.why === 'product-conditions' ? strings.inCart : conditionsOf(reward, words);
}

/** The button, and for cashback the field with the amount before it; or the question whether to spend most of the points. */
function Redeem({ account, reward }: OfferProps) {
  const { words, program } = account;
  const { rewards, why } = words.strings;
  const { id, title, cashback, redeemable } = reward;
  const typed = useSignal<string | undefined>(undefined);
  const error = useSignal('');
  const isAsking = useSignal(false);
  // Until another one is typed, all that is there.
  const amount = typed.value ?? (cashback ? words.typed(cashback.most) : '');
  const value = cashback ? Number(amount) : undefined;
  const view = answered(program.model.view);
  const isRedeeming = program.model.redeeming === id;
  const label = isRedeeming
    ? rewards.redeeming
    : redeemLabel(reward, view, words, value || undefined);
  const redeem = () => {
    const isAllowed =
      !cashback || (Number(amount) >= cashback.least && Number(amount) <= cashback.most);
    error.value = isAllowed ? '' : why['value-not-allowed'];
    if (!isAllowed) return;
    isAsking.value = !isAsking.value && asksFirst(reward, view, value);
    if (isAsking.value) return;
    typed.value = undefined;
    void account.redeem(reward, value);
  };
  return (
    <>
      {cashback && redeemable && !isAsking.value && (
        <s-number-field
          label={fill(rewards.amount, {
            least: words.money(cashback.least),
            most: words.money(cashback.most),
          })}
          value={amount}
          error={error.value}
          min={cashback.least}
          max={cashback.most}
          step={0.01}
          inputMode="decimal"
          onInput={(event) => {
            typed.value = textOf(event);
          }}
        />
      )}
      {isAsking.value && <s-text>{rewards.question}</s-text>}
      <s-button
        variant="primary"
        accessibilityLabel={`${label}: ${title}`}
        disabled={!redeemable}
        loading={isRedeeming}
        onClick={redeem}
      >
        {label}
      </s-button>
      {isAsking.value && (
        <s-button
          variant="secondary"
          onClick={() => {
            isAsking.value = false;
          }}
        >
          {words.strings.codes.no}
        </s-button>
      )}
    </>
  );
}

/** Side by side where there is room. */
export const TWO_COLUMNS = '@container (inline-size > 640px) 1fr 1fr, 1fr';

interface CodesProps {
  readonly account: Account;
  readonly redemptions: readonly Redemption[];
}

/** More would hide the rewards below. */
const SHOWN_AT_FIRST = 4;

const isUsable = ({ state, code }: Redemption): boolean => state === 'ready' && code !== null;

/** The customer's codes from before this visit: those that can be used come first. */
export function Codes({ account, redemptions }: CodesProps) {
  const isOpen = useSignal(false);
  if (redemptions.length === 0) return null;
  const sorted = redemptions.toSorted(
    (one, other) => Number(isUsable(other)) - Number(isUsable(one)),
  );
  const shown = isOpen.value ? sorted : sorted.slice(0, SHOWN_AT_FIRST);
  return (
    <s-section heading={account.words.strings.codes.heading}>
      <s-stack gap="base" alignItems="start">
        <s-grid
          accessibilityRole="unordered-list"
          gridTemplateColumns={TWO_COLUMNS}
          gap="base"
          inlineSize="100%"
        >
          {shown.map((redemption) => (
            <s-grid-item key={redemption.id} accessibilityRole="list-item">
              <s-stack gap="small-300">
                <s-heading>{redemption.title}</s-heading>
                <Code account={account} redemption={redemption} />
              </s-stack>
            </s-grid-item>
          ))}
        </s-grid>
        {shown.length < sorted.length && (
          <s-button
            onClick={() => {
              isOpen.value = true;
            }}
          >
            {account.strings.history.more}
          </s-button>
        )}
      </s-stack>
    </s-section>
  );
}

interface CodeProps {
  readonly account: Account;
  readonly redemption: Redemption;
}

function Code({ account, redemption }: CodeProps) {
  const { words, notes } = account;
  const { id, code } = redemption;
  const isReady = isUsable(redemption);
  return (
    <s-stack gap="small-300" alignItems="start">
      {code !== null && <s-badge color={isReady ? 'base' : 'subdued'}>{code}</s-badge>}
      {isReady && code !== null && <Uses account={account} redemption={redemption} code={code} />}
      <s-text color="subdued">{sayState(redemption, words)}</s-text>
      <Note note={notes.get(id)} isShown={false} otherwise="" />
    </s-stack>
  );
}

function Uses({ account, redemption, code }: CodeProps & { readonly code: string }) {
  const { words, shop } = account;
  const { codes } = words.strings;
  const isAsking = useSignal(false);
  const isSending = useSignal(false);
  const clipboard = `code-${redemption.id}`;
  const link = useLink(redemption, shop);
  const named = (label: string) => `${label}: ${code}`;
  const takeBack = async () => {
    isSending.value = true;
    await account.takeBack(redemption);
    isSending.value = false;
    isAsking.value = false;
  };
  if (isAsking.value) {
    return (
      <s-stack gap="small-300">
        <s-text>{codes.confirm}</s-text>
        <s-stack direction="inline" gap="small">
          <s-button
            variant="primary"
            accessibilityLabel={named(codes.yes)}
            loading={isSending.value}
            onClick={() => void takeBack()}
          >
            {codes.yes}
          </s-button>
          <s-button
            variant="secondary"
            accessibilityLabel={named(codes.no)}
            onClick={() => {
              isAsking.value = false;
            }}
          >
            {codes.no}
          </s-button>
        </s-stack>
      </s-stack>
    );
  }
  return (
    <s-stack direction="inline" gap="small">
      {link !== undefined && (
        <s-button variant="primary" accessibilityLabel={named(codes.use)} href={link}>
          {codes.use}
        </s-button>
      )}
      <s-button
        variant="secondary"
        accessibilityLabel={named(codes.copy)}
        command="--copy"
        commandFor={clipboard}
      >
        {codes.copy}
      </s-button>
      {redemption.takeBackUntil !== null && (
        <s-button
          variant="secondary"
          accessibilityLabel={named(codes.takeBack)}
          onClick={() => {
            isAsking.value = true;
          }}
        >
          {codes.takeBack}
        </s-button>
      )}
      <Clipboard account={account} id={clipboard} text={code} />
    </s-stack>
  );
}

interface ClipboardProps {
  readonly account: Account;
  readonly id: string;
  readonly text: string;
}

function Clipboard({ account, id, text }: ClipboardProps) {
  return (
    <s-clipboard-item
      id={id}
      text={text}
      onCopy={() => account.say(account.words.strings.codes.copied)}
      onCopyError={() => account.say(account.strings.notCopied)}
    />
  );
}

/** The customer's own link for friends. Shopify's extensions cannot open the browser's menu for sharing. */
export function Invite({ account, referral }: InviteProps) {
  const { heading, copy } = account.words.strings.referral;
  const { url, whatsappUrl } = referral;
  return (
    <s-section heading={heading}>
      <s-stack gap="small" alignItems="start">
        <s-text>{url}</s-text>
        <s-stack direction="inline" gap="small">
          <s-button variant="secondary" command="--copy" commandFor="referral">
            {copy}
          </s-button>
          {whatsappUrl !== null && (
            <s-button variant="secondary" href={whatsappUrl} target="_blank">
              WhatsApp
            </s-button>
          )}
          <Clipboard account={account} id="referral" text={url} />
        </s-stack>
      </s-stack>
    </s-section>
  );
}

interface InviteProps {
  readonly account: Account;
  readonly referral: Referral;
}

/** Shopify's types leave the target of an event open. */
const textOf = (event: Event): string =>
  (event.currentTarget as HTMLElementTagNameMap['s-text-field']).value ?? '';

interface NoteProps {
  readonly note: ShownNote | undefined;
  /** False: only screen readers get a good result, because the page shows it in another way. */
  readonly isShown?: boolean;
  /** Shown while there is no result. */
  readonly otherwise: string;
}

/** A live region: a screen reader reads its text out when it changes. */
function Note({ note, isShown = true, otherwise }: NoteProps) {
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
