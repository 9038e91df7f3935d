import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKeyList, type CreatedApiKey, type NewApiKey, once, type Waypost, waypost } from '../api.ts';
import { ConfirmDialog, FormDialog, type FormDialogProps, ShownOnce } from '../dialogs.tsx';
import { asMoment } from '../language.ts';
import { Loaded } from '../loaded.tsx';
import { ActionsHead, Button, Check, CopyIcon, Empty, Field, Head, textIn, When } from '../parts.tsx';
import { fill, words } from '../words.ts';

type Key = ApiKeyList['data'][number];
type Open = { readonly making: true } | { readonly made: CreatedApiKey } | { readonly deleting: Key } | undefined;

interface KeysProps {
  /** The e-mail address of another account, for an administrator; one's own without it. */
  readonly of?: string;
}

const waysTo = (email: string | undefined, client: Waypost) =>
  email === undefined
    ? client
    : {
        keys: () => client.admin.keys(email),
        createKey: (key: NewApiKey) => client.admin.createKey(email, key),
        deleteKey: (id: string) => client.admin.deleteKey(email, id),
      };

export function Keys({ of: email }: KeysProps) {
  const queries = useQueryClient();
  const ways = waysTo(email, once);
  const keys = useQuery({ queryKey: ['keys', email], queryFn: () => waysTo(email, waypost).keys() });
  const other = words.admin.keys;
  const [open, setOpen] = useState<Open>();
  const changed = () => queries.invalidateQueries({ queryKey: ['keys'] });
  const close = () => setOpen(undefined);
  const { data = [], limit = 0 } = keys.data ?? {};
  const full = keys.data !== undefined && data.length >= limit;
  return (
    <>
      <Head title={email === undefined ? words.keys.title : fill(other.title, { email })}>
        {full && (
          <span className="hint">
            {email === undefined ? fill(words.keys.full, { limit }) : fill(other.full, { limit })}
          </span>
        )}
        <Button look="primary" isOff={full} onClick={() => setOpen({ making: true })}>
          {words.keys.create}
        </Button>
      </Head>
      {keys.data !== undefined && (
        <p className="hint">
          {email === undefined
            ? fill(words.keys.lead, { used: data.length, limit })
            : fill(other.lead, { used: data.length, limit })}
        </p>
      )}
      <div className="card lead-p">
        <Loaded query={keys} rows={3}>
          {() =>
            data.length === 0 ? (
              <Empty title={words.keys.none}>{email === undefined && <p>{words.keys.noneHow}</p>}</Empty>
            ) : (
              <Table keys={data} onDelete={(deleting) => setOpen({ deleting })} />
            )
          }
        </Loaded>
      </div>
      <p className="hint lead-p">{words.keys.after}</p>
      {open !== undefined && 'making' in open && (
        <MakeKey
          create={(key) => ways.createKey(key)}
          lookUp={async (form) => {
            const created = (key: Key) =>
              key.name === textIn(form, 'name').trim() && !data.some(({ id }) => id === key.id);
            return (await ways.keys()).data.some(created) ? { lost: words.keys.lost } : undefined;
          }}
          onClose={close}
          onMade={(made) => {
            setOpen({ made });
            void changed();
          }}
        />
      )}
      {open !== undefined && 'made' in open && <NewKey made={open.made} onClose={close} />}
      {open !== undefined && 'deleting' in open && (
        <ConfirmDialog<unknown>
          title={fill(words.keys.deleteTitle, { name: open.deleting.name })}
          why={words.keys.deleteWhy}
          keep={words.keys.keep}
          act={words.keys.deleteAct}
          run={() => ways.deleteKey(open.deleting.id)}
          lookUp={async () => {
            const { id } = open.deleting;
            return (await ways.keys()).data.some((key) => key.id === id) ? undefined : { answer: undefined };
          }}
          onDone={() => void changed()}
          onClose={close}
        />
      )}
    </>
  );
}

function Table({ keys, onDelete }: { keys: readonly Key[]; onDelete: (key: Key) => void }) {
  return (
    <table className="tbl">
      <caption className="sr">{words.keys.title}</caption>
      <thead>
        <tr>
          <th>{words.keys.name}</th>
          <th className="k-key">{words.keys.key}</th>
          <th className="k-sc">{words.keys.scopes}</th>
          <th className="k-used">{words.keys.used}</th>
          <th className="c-when k-made">{words.keys.made}</th>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td className="cut">
              <b>
                <bdi>{key.name}</bdi>
              </b>
              {key.expires_at !== null && (
                <span className="hint below">{fill(words.keys.until, { at: asMoment(key.expires_at) })}</span>
              )}
            </td>
            <td className="k-key">
              <code>{key.hint}…</code>
            </td>
            <td className="k-sc">
              <span className="tags">
                {key.scopes.map((scope) => (
                  <span className="tag" key={scope}>
                    {scope}
                  </span>
                ))}
              </span>
            </td>
            <td className="k-used when">
              {key.last_used_at === null ? words.keys.never : <When at={key.last_used_at} />}
            </td>
            <td className="c-when k-made when">
              <When at={key.created_at} />
            </td>
            <td className="c-act">
              <Button
                look="quiet danger"
                label={fill(words.keys.deleteFor, { name: key.name })}
                onClick={() => onDelete(key)}
              >
                {words.keys.delete}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SCOPES = ['read', 'write', 'admin'] as const;

/** The midnight after this day, where the browser is; null without a day. */
const endOf = (day: string) => (day === '' ? null : new Date(`${day}T24:00`).toISOString());

interface MakeKeyProps extends Required<Pick<FormDialogProps<CreatedApiKey>, 'lookUp'>> {
  readonly create: (key: NewApiKey) => Promise<CreatedApiKey>;
  readonly onClose: () => void;
  readonly onMade: (made: CreatedApiKey) => void;
}

function MakeKey({ create, lookUp, onClose, onMade }: MakeKeyProps) {
  const [scopes, setScopes] = useState<readonly (typeof SCOPES)[number][]>(['read', 'write']);
  // `admin` includes everything and stands alone.
  const toggle = (scope: (typeof SCOPES)[number], on: boolean) =>
    setScopes(!on ? scopes.filter((each) => each !== scope) : scope === 'admin' ? ['admin'] : [...scopes, scope]);
  return (
    <FormDialog
      title={words.keys.create}
      act={words.keys.create}
      fields={['name', 'expires_at']}
      send={(form) => create({ name: textIn(form, 'name'), scopes, expires_at: endOf(textIn(form, 'expires_at')) })}
      lookUp={lookUp}
      onSent={onMade}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Field name="name" label={words.keys.name} error={error} autoFocus />
          <fieldset className="field">
            <legend className="lbl">{words.keys.scopes}</legend>
            {SCOPES.map((scope) => (
              <Check
                key={scope}
                label={words.keys.scope[scope]}
                checked={scopes.includes(scope)}
                disabled={scope !== 'admin' && scopes.includes('admin')}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
            ))}
          </fieldset>
          <Field
            name="expires_at"
            label={words.keys.ends}
            type="date"
            hint={words.keys.endsHint}
            error={error}
            required={false}
          />
        </>
      )}
    </FormDialog>
  );
}

const SNIPPETS = {
  curl: (base: string) => `export WAYPOST_API_KEY="…"   # paste the key here
curl -X POST ${base}/api/v1/links \\
  -H "Authorization: Bearer $WAYPOST_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"destination_url": "https://example.com/hello"}'`,
  CLI: (base: string) => `export WAYPOST_API_KEY="…"
export WAYPOST_URL="${base}"
npm run -s waypost -- create https://example.com/hello`,
  TypeScript: (base: string) => `// npm install @waypost/sdk
import { Waypost } from "@waypost/sdk";

const waypost = new Waypost({ url: "${base}", apiKey: process.env.WAYPOST_API_KEY });
const { short_url } = await waypost.create({ destination_url: "https://example.com/hello" });
console.log(short_url);`,
  MCP: (base: string) => `claude mcp add --transport http waypost ${base}/mcp \\
  --header "Authorization: Bearer $WAYPOST_API_KEY"

# or in the settings of another client:
{ "mcpServers": { "waypost": { "type": "http", "url": "${base}/mcp",
  "headers": { "Authorization": "Bearer …" } } } }`,
} as const;
const LANGUAGES = ['curl', 'CLI', 'MCP', 'TypeScript'] as const;

function NewKey({ made, onClose }: { made: CreatedApiKey; onClose: () => void }) {
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>('curl');
  const snippet = SNIPPETS[language](location.origin);
  return (
    <ShownOnce
      title={words.keys.once}
      why={words.keys.onceWhy}
      secret={made.key}
      copied={words.keys.copied}
      stored={words.keys.stored}
      onClose={onClose}
    >
      <fieldset className="seg start" aria-label={words.keys.tryWith}>
        {LANGUAGES.map((each) => (
          <button type="button" key={each} aria-pressed={each === language} onClick={() => setLanguage(each)}>
            {each}
          </button>
        ))}
      </fieldset>
      <div className="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre tabIndex={0}>{snippet}</pre>
        <CopyIcon text={snippet} what={language} />
      </div>
    </ShownOnce>
  );
}
