import { type ComponentChildren, type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type {
  Block,
  CodeBlock,
  Document,
  FactsBlock,
  FindingsBlock,
  SectionBlock,
  ShownFinding,
  Suggestion,
  TextBlock,
  TimelineBlock,
  Verdict,
  VerdictKind,
} from '../../terminal/document.ts';
import { counted } from '../../terminal/text.ts';
import { Chart } from './chart.tsx';
import { Suggestions } from './suggestion.tsx';
import { Cell, Table } from './table.tsx';
import { dayText, localText, secondText } from './words.ts';

/** Of the headings of blocks: the document's own is above it. */
const Level = createContext(2);

/** Everything of a document but its title. */
export function Blocks({
  document: { verdict, blocks, next = [] },
  command,
  level = 2,
}: {
  readonly document: Document;
  /** That was asked. */
  readonly command: string;
  readonly level?: number;
}) {
  // Other pages of this list, or the same once more in another way: they belong below it.
  const isFurther = ({ line }: Suggestion) => line.command === command && line.options.yes !== true;
  const first = <Suggestions of={next.filter((one) => !isFurther(one))} />;
  return (
    <Level.Provider value={level}>
      {verdict ? <Banner verdict={verdict}>{first}</Banner> : first}
      <div class="blocks">
        <BlockList blocks={blocks} />
      </div>
      <Suggestions of={next.filter(isFurther)} />
    </Level.Provider>
  );
}

const VERDICTS: Readonly<Record<VerdictKind, readonly [tone: string, name: string]>> = {
  well: ['well', 'Well'],
  waits: ['waits', 'Waits'],
  'action required': ['bad', 'Action required'],
  'not known': ['waits', 'Not known'],
};

interface BannerProps {
  readonly verdict: Verdict;
  readonly children: ComponentChildren;
}

function Banner({ verdict: { kind, what }, children }: BannerProps) {
  const [tone, name] = VERDICTS[kind];
  return (
    <section class={`verdict ${tone}`} aria-label="Verdict">
      <p role="status">
        <strong>{name}</strong> <span>{what}</span>
      </p>
      {children}
    </section>
  );
}

function BlockList({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => {
        const Shown = BLOCKS[block.kind] as ComponentType<Block>;
        return <Shown {...block} key={`${index} ${block.kind}`} />;
      })}
    </>
  );
}

const BLOCKS: {
  readonly [Kind in Block['kind']]: ComponentType<Extract<Block, { kind: Kind }>>;
} = {
  text: Text,
  findings: Findings,
  facts: Facts,
  table: (block) =>
    block.rows.length === 0 && block.empty === undefined ? null : (
      <div class="table">
        <Title of={block.title} />
        <Table {...block} />
      </div>
    ),
  timeline: Timeline,
  chart: Chart,
  code: Code,
  section: Section,
};

function Title({ of }: { readonly of: string | undefined }) {
  const level = useContext(Level);
  if (of === undefined) return null;
  const Heading = `h${level}` as 'h2';
  return <Heading>{of}</Heading>;
}

function Text({ text, tone }: TextBlock) {
  return (
    <div class={tone}>
      {text.split('\n').map((line, index) => (
        <p key={`${index}`}>{line}</p>
      ))}
    </div>
  );
}

/** More of them, with nothing to do, are folded away. */
const MOST_QUIET = 6;

function Findings({ title, findings }: FindingsBlock) {
  const isQuiet = ({ tone, next = [] }: ShownFinding) =>
    (tone === 'well' || tone === 'info') && next.length === 0;
  const quiet = findings.filter(isQuiet);
  const folded = quiet.length > MOST_QUIET ? quiet : [];
  const notes = folded.filter(({ tone }) => tone === 'info').length;
  return (
    <section class="card findings">
      <Title of={title} />
      <FindingList of={findings.filter((one) => !folded.includes(one))} />
      {folded.length > 0 && (
        <details>
          <summary>
            {folded.length - notes} fine{notes === 0 ? '' : `, ${counted(notes, 'note')}`}
          </summary>
          <FindingList of={folded} />
        </details>
      )}
    </section>
  );
}

const MARKS = {
  well: ['✓', 'Fine'],
  waits: ['!', 'Warning'],
  bad: ['✕', 'Wrong'],
  info: ['i', 'Note'],
} as const;

function FindingList({ of }: { readonly of: readonly ShownFinding[] }) {
  return (
    <ul class="plain">
      {of.map(({ tone, name, what, fix, next = [], follows = [] }, index) => (
        <li class="finding" key={`${index}`}>
          <span class={`mark ${tone}`} role="img" aria-label={MARKS[tone][1]}>
            {MARKS[tone][0]}
          </span>
          <div>
            <p>
              {name !== undefined && <strong>{name}</strong>} <span>{what}</span>
            </p>
            {fix?.split('\n').map((line) => (
              <p class="soft" key={line}>
                {line}
              </p>
            ))}
            <Suggestions of={next} />
            {follows.length > 0 && (
              <details>
                <summary>{follows.length} more, repaired with this</summary>
                <FindingList of={follows} />
              </details>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Facts({ title, facts }: FactsBlock) {
  return (
    <section class="card">
      <Title of={title} />
      <dl>
        {facts.map(([label, value], index) => (
          <div key={`${index}`}>
            <dt>{label}</dt>
            <dd>
              <Cell of={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Timeline({ title, lines }: TimelineBlock) {
  return (
    <section class="card">
      <Title of={title} />
      <ol class="timeline plain">
        {lines.map(({ at, who, what, detail, tone }, index) => {
          const day = dayText(at);
          const isNewDay = index === 0 || day !== dayText(lines[index - 1]?.at ?? '');
          return (
            <li class={tone} key={`${index}`}>
              {isNewDay && <p class="day">{day}</p>}
              <time dateTime={at} title={localText(at)}>
                {secondText(at)}
              </time>
              <strong>{who}</strong>
              <div>
                <span>{what}</span>
                {detail !== undefined && <p class="soft">{detail}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Code({ title = 'Text', text, folded }: CodeBlock) {
  return (
    <details class="card" open={!folded}>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

function Section({ title, blocks, folded }: SectionBlock) {
  const level = useContext(Level);
  const inner = (
    <Level.Provider value={level + 1}>
      <div class="blocks">
        <BlockList blocks={blocks} />
      </div>
    </Level.Provider>
  );
  if (folded) {
    return (
      <details class="section">
        <summary>{title}</summary>
        {inner}
      </details>
    );
  }
  return (
    <section class="section">
      <Title of={title} />
      {inner}
    </section>
  );
}
