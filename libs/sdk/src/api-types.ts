/** Made by `scripts/api-types.ts` from what the endpoints of `services/link-api` declare: change it there. */
export interface components {
  schemas: {
    /** @description A link to be made. An unknown field is an error, so that a typo does not go unnoticed. */
    readonly NewLink: {
      /**
       * Format: iri
       * @description An absolute http or https URL of a public host, at most 2048 bytes, without credentials; not one of this service. White space around it is dropped.
       * @example https://www.wikipedia.org/
       */
      readonly destination_url: string;
      /**
       * @description Your own slug: letters, digits, `_` and `-`, a letter or digit first. Some words are reserved. Without it a random one of 7 characters is made.
       * @example spring-menu
       */
      readonly custom_slug?: string | null;
      /**
       * @description Labels. White space around each is dropped, and so are repetitions.
       * @example [
       *       "docs",
       *       "spring"
       *     ]
       */
      readonly tags?: readonly string[] | null;
    };
    /** @description What a dry run found. */
    readonly Checked: {
      readonly link: components['schemas']['CheckedLink'];
      /** @description Null where a slug would be generated. */
      readonly short_url: string | null;
      /** @description Only if the link is flagged. */
      readonly warning?: components['schemas']['Warning'];
    };
    /** @description A link that a dry run did not make. */
    readonly CheckedLink: {
      /**
       * @description Null where a slug would be generated.
       * @example aB3dE6g
       */
      readonly slug: string | null;
      /**
       * Format: iri
       * @description Where it leads, as it was sent.
       */
      readonly destination_url: string;
      /**
       * @description Only an `active` link redirects. `flagged`: its destination is suspected. `revoked` is final.
       * @enum {string}
       */
      readonly status: 'active' | 'flagged' | 'revoked';
      /** @description What the destination is suspected of; null for a clean link. Today one of `malware`, `phishing`, `harmful_application`, `scam`, `unwanted_software`, `spam`, `suspicious`, `policy_violation`. Accept values that you do not know. */
      readonly threat_type: string | null;
      /**
       * @description `queued`: the destination is suspected, or another shortener, and we are about to follow it to its end. `done`: we have. Null: it was not needed, or the link is not active.
       * @enum {string|null}
       */
      readonly deep_scan: 'queued' | 'done' | null;
      /** @description Whether visitors see the preview page before they go on, since the link leads to another shortener and we do not know where it ends. */
      readonly preview_first: boolean;
      /** @description Why an operator took it down; null unless one did. */
      readonly take_down_reason: string | null;
      /**
       * Format: date-time
       * @description When it was revoked (UTC); null unless it was.
       */
      readonly revoked_at: string | null;
      /** @description Labels given at creation, in their order. */
      readonly tags: readonly string[];
      /**
       * Format: date-time
       * @description UTC, with milliseconds.
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description Equal to `created_at` until something changes; the time of revocation after a revoke.
       */
      readonly updated_at: string;
    };
    /** @description Says that a link was flagged: it exists, and it does not redirect. */
    readonly Warning: {
      /** @description Null only in a dry run, where a slug would be generated. */
      readonly slug: string | null;
      readonly destination_url: string;
      /** @description As in the link. */
      readonly threat_type: string;
      /** @description For a person to read. */
      readonly message: string;
    };
    /** @description A link that was made. */
    readonly Created: {
      readonly link: components['schemas']['Link'];
      /** @description What to hand out. */
      readonly short_url: string;
      /** @description Only if the link is flagged. */
      readonly warning?: components['schemas']['Warning'];
    };
    /** @description A short link. */
    readonly Link: {
      /**
       * @description Names the link in the API and in its short URL. Case-sensitive, never reused.
       * @example aB3dE6g
       */
      readonly slug: string;
      /**
       * Format: iri
       * @description Where it leads, as it was sent.
       */
      readonly destination_url: string;
      /**
       * @description Only an `active` link redirects. `flagged`: its destination is suspected. `revoked` is final.
       * @enum {string}
       */
      readonly status: 'active' | 'flagged' | 'revoked';
      /** @description What the destination is suspected of; null for a clean link. Today one of `malware`, `phishing`, `harmful_application`, `scam`, `unwanted_software`, `spam`, `suspicious`, `policy_violation`. Accept values that you do not know. */
      readonly threat_type: string | null;
      /**
       * @description `queued`: the destination is suspected, or another shortener, and we are about to follow it to its end. `done`: we have. Null: it was not needed, or the link is not active.
       * @enum {string|null}
       */
      readonly deep_scan: 'queued' | 'done' | null;
      /** @description Whether visitors see the preview page before they go on, since the link leads to another shortener and we do not know where it ends. */
      readonly preview_first: boolean;
      /** @description Why an operator took it down; null unless one did. */
      readonly take_down_reason: string | null;
      /**
       * Format: date-time
       * @description When it was revoked (UTC); null unless it was.
       */
      readonly revoked_at: string | null;
      /** @description Labels given at creation, in their order. */
      readonly tags: readonly string[];
      /**
       * Format: date-time
       * @description UTC, with milliseconds.
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description Equal to `created_at` until something changes; the time of revocation after a revoke.
       */
      readonly updated_at: string;
    };
    /** @description The answer to whatever could not be done. */
    readonly Error: {
      /** @description The code, for a program to read. Accept codes that you do not know. */
      readonly error: string;
      /** @description For a person to read. Its words may change. */
      readonly message: string;
      /** @description The HTTP status. */
      readonly status: number;
      /**
       * Format: uuid
       * @description From status 500 on: the same number is in the log of the server.
       */
      readonly error_id?: string;
      /** @description Field names and what is wrong with each; in a batch `links[3].destination_url`. For a taken slug `taken_slugs`, an array. */
      readonly details?: {
        readonly [key: string]: unknown;
      };
    };
    /** @description One page of a list. */
    readonly LinkPage: {
      /** @description Empty past the last page. */
      readonly data: readonly components['schemas']['Link'][];
      /** @description How many match, on all pages. */
      readonly total: number;
      /** @description As asked. */
      readonly page: number;
      /** @description As asked. */
      readonly limit: number;
      /** @description 0 when nothing matches. */
      readonly total_pages: number;
    };
    /** @description What the links of an account can be filtered by. */
    readonly LinkFacets: {
      /** @description All links. */
      readonly total: number;
      /** @description How many have each status. */
      readonly statuses: {
        readonly active: number;
        readonly flagged: number;
        readonly revoked: number;
      };
      /** @description The most used first, at most 100, counted in the newest 10,000 links. */
      readonly tags: readonly {
        readonly tag: string;
        readonly count: number;
      }[];
    };
    /** @description Links to be made, all or none. */
    readonly NewLinks: {
      /** @description No custom slug may occur twice. */
      readonly links: readonly components['schemas']['NewLink'][];
    };
    /** @description What a dry run of a batch found. */
    readonly CheckedMany: {
      /** @description In the order of the request. */
      readonly links: readonly {
        readonly link: components['schemas']['CheckedLink'];
        /** @description Null where a slug would be generated. */
        readonly short_url: string | null;
      }[];
      /** @description Always 0. */
      readonly total_created: number;
      /** @description One for each flagged link; absent if there is none. */
      readonly warnings?: readonly components['schemas']['Warning'][];
    };
    /** @description Links that were made. */
    readonly CreatedMany: {
      /** @description In the order of the request. */
      readonly links: readonly {
        readonly link: components['schemas']['Link'];
        /** @description What to hand out. */
        readonly short_url: string;
      }[];
      /** @description How many were made: all of them. */
      readonly total_created: number;
      /** @description One for each flagged link; absent if there is none. */
      readonly warnings?: readonly components['schemas']['Warning'][];
    };
    /** @description An address to check. */
    readonly UrlToCheck: {
      /**
       * @description The address.
       * @example https://www.wikipedia.org/
       */
      readonly url: string;
    };
    /** @description What a scan finds about an address. */
    readonly UrlCheck: {
      readonly url: string;
      /**
       * @description Of a link to it: `clean` and `warned` redirect, `flagged` does not, `refused` cannot be made.
       * @enum {string}
       */
      readonly outcome: 'clean' | 'warned' | 'flagged' | 'refused';
      /** @description What it is suspected of. Accept values that you do not know. */
      readonly threat_type: string | null;
      /** @description For a person to read. */
      readonly message: string;
      /** @description A feed (`feed:…`) or a rule, and what it matched. */
      readonly reasons: readonly {
        readonly rule: string;
        readonly evidence: string;
      }[];
    };
    /** @description What is known about the destination of a link. */
    readonly LinkScan: {
      /**
       * Format: date-time
       * @description When the destination was scanned at creation, or by the last scan that changed any of this: one that finds nothing new leaves it.
       */
      readonly scanned_at: string;
      /** @description Of the threat database, in that scan. */
      readonly generation: string;
      /**
       * @description `clean`: no threat was found, which is no promise. `warned`: something is noted, and the link works.
       * @enum {string}
       */
      readonly outcome: 'clean' | 'warned' | 'flagged';
      /** @description What it is suspected of; null if it is clean. */
      readonly threat_type: string | null;
      /** @description Why, if it is not clean: a feed or a rule, and what it matched. */
      readonly reasons: readonly {
        readonly rule: string;
        readonly evidence: string;
      }[];
      /** @description What scans found and administrators decided, the newest first, at most ten. A clean scan is in it only where it changed something. */
      readonly history: readonly {
        /** Format: date-time */
        readonly at: string;
        /**
         * @description A scan, or what an administrator decided. Accept values that you do not know.
         * @enum {string}
         */
        readonly source: 'scan' | 'take_down' | 'review';
        /** @description Of a scan `clean`, `warned` or `flagged`; of a take-down `flagged`; of a review `cleared` or `kept`. */
        readonly outcome: string;
        readonly threat_type: string | null;
        /** @description `rule` names a feed (`feed:…`) or a rule, `evidence` what it matched. */
        readonly reasons: readonly {
          readonly rule: string;
          readonly evidence: string;
        }[];
        /** @description Of the threat database; null for a review. */
        readonly generation: string | null;
      }[];
    };
    /** @description Clicks of several links. */
    readonly LinkClicks: {
      /**
       * @description As asked.
       * @enum {string}
       */
      readonly period: '7d' | '30d' | '90d';
      readonly links: readonly {
        /**
         * @description Names the link in the API and in its short URL. Case-sensitive, never reused.
         * @example aB3dE6g
         */
        readonly slug: string;
        /** @description Clicks within the period, those of bots included unless they were left out. */
        readonly total_clicks: number;
        /** @description One entry for each UTC day, zeros included, oldest first. Its sum is `total_clicks`. */
        readonly time_series: readonly {
          /** Format: date */
          readonly date: string;
          readonly clicks: number;
        }[];
      }[];
    };
    /** @description Clicks of one link. A click is a GET that was answered with a redirect. */
    readonly Analytics: {
      /**
       * @description Names the link in the API and in its short URL. Case-sensitive, never reused.
       * @example aB3dE6g
       */
      readonly slug: string;
      /**
       * @description As asked.
       * @enum {string}
       */
      readonly period: '7d' | '30d' | '90d';
      /** @description Clicks within the period, those of bots included unless they were left out. */
      readonly total_clicks: number;
      /** @description Different visitors, told apart by a keyed hash of their address. */
      readonly unique_visitors: number;
      /** @description How many of `total_clicks` came from known bots. */
      readonly bot_clicks: number;
      /** @description How many of `total_clicks` were counted by the service that the link moved from, and are known by their day alone; absent if there are none. */
      readonly imported_clicks?: number;
      /** @description One entry for each UTC day, zeros included, oldest first. Its sum is `total_clicks`. */
      readonly time_series: readonly {
        /** Format: date */
        readonly date: string;
        readonly clicks: number;
      }[];
      /** @description Host names; `direct` where there was none. At most 10, the highest count first. */
      readonly top_referrers: readonly {
        readonly referrer: string;
        readonly count: number;
      }[];
      /** @description ISO 3166-1 alpha-2 codes; unknown ones are left out. At most 10, the highest count first. */
      readonly top_countries: readonly {
        readonly country: string;
        readonly count: number;
      }[];
      /** @description `desktop`, `mobile` or `tablet`. At most 10, the highest count first. */
      readonly top_devices: readonly {
        readonly device: string;
        readonly count: number;
      }[];
      /** @description Browsers by name. At most 10, the highest count first. */
      readonly top_browsers: readonly {
        readonly browser: string;
        readonly count: number;
      }[];
    };
    /** @description Clicks of all links of an account, and what happened to its links. */
    readonly Overview: {
      /**
       * @description As asked.
       * @enum {string}
       */
      readonly period: '7d' | '30d' | '90d';
      /** @description Clicks within the period, those of bots included unless they were left out. */
      readonly total_clicks: number;
      /** @description Visitors, counted once for each link. Exact up to 50,000, and an estimate within 1 % above. */
      readonly unique_visitors: number;
      /** @description How many of `total_clicks` came from known bots. */
      readonly bot_clicks: number;
      /** @description How many of `total_clicks` were counted by the service that the link moved from, and are known by their day alone; absent if there are none. */
      readonly imported_clicks?: number;
      /** @description One entry for each UTC day, zeros included, oldest first. Its sum is `total_clicks`. */
      readonly time_series: readonly {
        /** Format: date */
        readonly date: string;
        readonly clicks: number;
      }[];
      /** @description Host names; `direct` where there was none. At most 10, the highest count first. */
      readonly top_referrers: readonly {
        readonly referrer: string;
        readonly count: number;
      }[];
      /** @description ISO 3166-1 alpha-2 codes; unknown ones are left out. At most 10, the highest count first. */
      readonly top_countries: readonly {
        readonly country: string;
        readonly count: number;
      }[];
      /** @description `desktop`, `mobile` or `tablet`. At most 10, the highest count first. */
      readonly top_devices: readonly {
        readonly device: string;
        readonly count: number;
      }[];
      /** @description Browsers by name. At most 10, the highest count first. */
      readonly top_browsers: readonly {
        readonly browser: string;
        readonly count: number;
      }[];
      /** @description The links with the most clicks. At most 10, the highest count first. */
      readonly top_links: readonly {
        /**
         * @description Names the link in the API and in its short URL. Case-sensitive, never reused.
         * @example aB3dE6g
         */
        readonly slug: string;
        readonly clicks: number;
      }[];
      /** @description The same figures of the period before. Null for `90d`: clicks are kept for 100 days. */
      readonly previous: {
        readonly total_clicks: number;
        readonly unique_visitors: number;
      } | null;
      /** @description What happened to the links of the account. */
      readonly links: {
        /** @description Links created in the period. */
        readonly created: number;
        /** @description Links that became flagged in the period and still are. */
        readonly flagged: number;
        /** @description Links revoked in the period. */
        readonly revoked: number;
      };
    };
    /** @description Whether the browser has a session. */
    readonly SessionState: {
      readonly signed_in: boolean;
    };
    /** @description An e-mail address and its password. */
    readonly SignIn: {
      readonly email: string;
      readonly password: string;
    };
    /** @description Whose session it is. */
    readonly SignedIn: {
      readonly email: string;
      readonly admin: boolean;
    };
    /** @description The session is over. */
    readonly SignedOut: {
      readonly signed_out: boolean;
    };
    /** @description How one may sign in. */
    readonly SignInOptions: {
      /** @description Of OpenID Connect. Null: none is configured. */
      readonly provider: {
        readonly name: string;
      } | null;
    };
    /** @description A passkey that the browser has. */
    readonly PasskeySignIn: {
      /** @description The `toJSON()` of what `navigator.credentials.get()` found. */
      readonly passkey: {
        readonly id: string;
        readonly response: {
          readonly clientDataJSON: string;
          readonly authenticatorData: string;
          readonly signature: string;
          readonly userHandle: string;
        };
      };
    };
    /** @description Options of WebAuthn, for the browser. */
    readonly PasskeyOptions: {
      readonly challenge: string;
    };
    /** @description Where to sign in. */
    readonly ProviderAddress: {
      /** Format: uri */
      readonly url: string;
    };
    /** @description The first account. */
    readonly FirstRun: {
      readonly token: string;
      readonly email: string;
      /** @description 12 to 1000 characters. */
      readonly password: string;
    };
    /** @description An account. */
    readonly Account: {
      readonly email: string;
      /** @description Whether it is an administrator of this Waypost. */
      readonly admin: boolean;
      readonly has_password: boolean;
      /** @description Of the key or the session that asks. */
      readonly scopes: readonly ('read' | 'write' | 'admin')[];
      /** @description Where short links are served. */
      readonly redirect_base_url: string;
      readonly quota: components['schemas']['AccountQuota'];
    };
    /** @description Links of the current hour. */
    readonly AccountQuota: {
      /** @description Links that may be made per hour. */
      readonly limit: number;
      /** @description Links made in the current hour. */
      readonly used: number;
      /**
       * Format: date-time
       * @description When the current hour ends; with none open, an hour from now.
       */
      readonly resets_at: string;
    };
    /** @description What makes sure that you mean it. */
    readonly AccountDeletion: {
      /** @description Your own e-mail address, so that nothing is deleted by mistake. */
      readonly email: string;
      /** @description Needed if the account has a password. */
      readonly current_password?: string;
    };
    /** @description An account that was deleted. */
    readonly DeletedAccount: {
      readonly email: string;
      /** Format: date-time */
      readonly deleted_at: string;
    };
    /** @description The passkeys of an account. */
    readonly PasskeyList: {
      readonly data: readonly components['schemas']['Passkey'][];
      /** @description Passkeys that an account may have. */
      readonly limit: number;
    };
    /** @description A passkey, by which the owner of an account signs in. */
    readonly Passkey: {
      /** Format: uuid */
      readonly id: string;
      readonly name: string;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description Null for one that was never used.
       */
      readonly last_used_at: string | null;
    };
    /** @description A passkey that the browser made. */
    readonly NewPasskey: {
      /** @description Which it is: 1 to 100 characters. */
      readonly name: string;
      /** @description The `toJSON()` of what `navigator.credentials.create()` made. */
      readonly passkey: {
        readonly id: string;
        readonly response: {
          readonly clientDataJSON: string;
          readonly attestationObject: string;
        };
      };
    };
    /** @description A removed passkey. */
    readonly RemovedPasskey: {
      /** Format: uuid */
      readonly id: string;
    };
    /** @description A new password. */
    readonly PasswordChange: {
      /** @description Not needed by an account without a password, and in the first 15 minutes after a sign-in by link. */
      readonly current_password?: string;
      /** @description 12 to 1000 characters. */
      readonly new_password: string;
    };
    /** @description It is done. */
    readonly Done: {
      readonly done: boolean;
    };
    /** @description What only the owner has. */
    readonly Proof: {
      /** @description The password of the account. */
      readonly current_password?: string;
      /** @description The `toJSON()` of what `navigator.credentials.get()` found. Instead of the password. */
      readonly passkey?: {
        readonly id: string;
        readonly response: {
          readonly clientDataJSON: string;
          readonly authenticatorData: string;
          readonly signature: string;
          readonly userHandle: string;
        };
      };
    };
    /** @description A removed identity. */
    readonly RemovedIdentity: {
      /** Format: uuid */
      readonly id: string;
    };
    /** @description One page of a list. */
    readonly AccountPage: {
      /** @description Empty past the last page. */
      readonly data: readonly components['schemas']['AccountDetails'][];
      /** @description How many match, on all pages. */
      readonly total: number;
      /** @description As asked. */
      readonly page: number;
      /** @description As asked. */
      readonly limit: number;
      /** @description 0 when nothing matches. */
      readonly total_pages: number;
    };
    /** @description An account, as administrators see it. */
    readonly AccountDetails: {
      /** Format: uuid */
      readonly id: string;
      readonly email: string;
      /** @description Whether it is an administrator of this Waypost. */
      readonly admin: boolean;
      /** @description Null: the default of this Waypost. */
      readonly creations_per_hour: number | null;
      /**
       * Format: date-time
       * @description Null: it is not suspended.
       */
      readonly suspended_at: string | null;
      /** @description As its owner reads it. */
      readonly suspension_reason: string | null;
      /** Format: date-time */
      readonly created_at: string;
    };
    /** @description An account to be made. */
    readonly NewAccount: {
      /** @description The e-mail address: not that of another account. Capital and small letters are the same. */
      readonly email: string;
      /** @description An administrator of this Waypost; false unless it is given. */
      readonly admin?: boolean | null;
      /** @description False unless it is given. */
      readonly sign_in_link?: boolean | null;
      /** @description 12 to 1000 characters. */
      readonly password?: string;
    };
    /** @description A new account. */
    readonly CreatedAccount: {
      /** Format: uuid */
      readonly id: string;
      readonly email: string;
      readonly admin: boolean;
      /** @description Shown this once, if it was asked for: a secret until it is used. */
      readonly sign_in_url: string | null;
      /**
       * Format: date-time
       * @description Of the link.
       */
      readonly expires_at: string | null;
    };
    /** @description A limit for one account. */
    readonly Limit: {
      /** @description Null: the default of this Waypost. */
      readonly creations_per_hour: number | null;
    };
    /** @description The limit of an account. */
    readonly AccountLimit: {
      readonly email: string;
      /** @description Null: the default of this Waypost. */
      readonly creations_per_hour: number | null;
    };
    /** @description What lets people into an account, or sends something out of it. */
    readonly AccountCredentials: {
      readonly email: string;
      readonly has_password: boolean;
      readonly sessions: readonly components['schemas']['Session'][];
      readonly devices: readonly components['schemas']['Device'][];
      readonly passkeys: readonly components['schemas']['Passkey'][];
      readonly identities: readonly components['schemas']['Identity'][];
      readonly keys: readonly components['schemas']['ApiKey'][];
      readonly webhooks: readonly components['schemas']['WebhookEndpoint'][];
    };
    /** @description A session of the dashboard. */
    readonly Session: {
      /** @description As `credential` in the audit log. */
      readonly id: string;
      /** @description Whether it is the one that asks. */
      readonly current: boolean;
      /**
       * @description How it began.
       * @enum {string}
       */
      readonly via: 'password' | 'passkey' | 'provider' | 'sign_in_link' | 'first_run';
      /** @description By name; `Unknown` for one that is not common. */
      readonly browser: string;
      /** @description The operating system, by name. */
      readonly system: string;
      /** @description Where the address was registered, as ISO 3166-1 alpha-2; `ZZ`: unknown. */
      readonly country: string;
      /** Format: date-time */
      readonly started_at: string;
      /**
       * Format: date-time
       * @description To within five minutes.
       */
      readonly last_used_at: string;
    };
    /** @description A kind of browser that began a session. */
    readonly Device: {
      /** Format: uuid */
      readonly id: string;
      /** @description By name; `Unknown` for one that is not common. */
      readonly browser: string;
      /** @description The operating system, by name. */
      readonly system: string;
      /** @description Where the address was registered, as ISO 3166-1 alpha-2; `ZZ`: unknown. */
      readonly country: string;
      /** Format: date-time */
      readonly first_at: string;
      /**
       * Format: date-time
       * @description When it last began a session.
       */
      readonly last_at: string;
      /** @description False until the owner confirms a new one. */
      readonly known: boolean;
    };
    /** @description An identity at the provider, by which the owner signs in. */
    readonly Identity: {
      /** Format: uuid */
      readonly id: string;
      readonly issuer: string;
      /** @description Who it is at the provider. */
      readonly subject: string;
      /** Format: date-time */
      readonly created_at: string;
    };
    /** @description An API key, without the key itself. */
    readonly ApiKey: {
      /** Format: uuid */
      readonly id: string;
      readonly name: string;
      readonly scopes: readonly ('read' | 'write' | 'admin')[];
      /** @description The first characters of the key. */
      readonly hint: string;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description From then on it is refused; null: never.
       */
      readonly expires_at: string | null;
      /**
       * Format: date-time
       * @description To within a minute; null for one that was never used.
       */
      readonly last_used_at: string | null;
    };
    /** @description A receiver of events. */
    readonly WebhookEndpoint: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description `account`: events of your links. `installation`, for administrators: `case.opened`, and `link.flagged` of all links.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description What it is sent. Accept values that you do not know. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Null while it is enabled. `owner`: by you. `gone`: it answered 410. `failing`: it took nothing for days. `backlog`: too much waited for it. Accept values that you do not know. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description Since when no attempt at this URL succeeded; null if the last one did, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The API key that made it or last set its address; null if that was done in the dashboard.
       */
      readonly key_id: string | null;
    };
    /** @description What to remove from an account. */
    readonly AccountRemovals: {
      /** @description Ids of passkeys, identities, keys and webhooks of the account. */
      readonly remove?: readonly string[];
      /** @description Whether to remove the password, too. */
      readonly password?: boolean | null;
    };
    /** @description The active keys of an account. */
    readonly ApiKeyList: {
      readonly data: readonly components['schemas']['ApiKey'][];
      /** @description Active keys that an account may have. */
      readonly limit: number;
    };
    /** @description A key to be made. */
    readonly NewApiKey: {
      /** @description What it is for: 1 to 100 characters. */
      readonly name: string;
      /** @description `read`, `write` or both; or `admin` alone. */
      readonly scopes: readonly ('read' | 'write' | 'admin')[];
      /**
       * Format: date-time
       * @description When it ends, in UTC. Without it, or with null, it never does.
       * @example 2027-01-31T00:00:00Z
       */
      readonly expires_at?: string | null;
    };
    /** @description A new key. */
    readonly CreatedApiKey: {
      /** Format: uuid */
      readonly id: string;
      readonly name: string;
      readonly scopes: readonly ('read' | 'write' | 'admin')[];
      /** @description The first characters of the key. */
      readonly hint: string;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description From then on it is refused; null: never.
       */
      readonly expires_at: string | null;
      /** @description Shown this once. */
      readonly key: string;
    };
    /** @description A deleted key. */
    readonly DeletedApiKey: {
      /** Format: uuid */
      readonly id: string;
      /** Format: date-time */
      readonly deleted_at: string;
      /** @description Its webhooks, as they are now. */
      readonly webhooks: readonly components['schemas']['WebhookOfKey'][];
    };
    /** @description A webhook of a deleted key. */
    readonly WebhookOfKey: {
      /** Format: uuid */
      readonly id: string;
      readonly url: string;
      readonly enabled: boolean;
    };
    /** @description The webhooks of an account. */
    readonly WebhookList: {
      readonly data: readonly components['schemas']['WebhookEndpoint'][];
      /** @description Webhooks that an account may have. */
      readonly limit: number;
    };
    /** @description A webhook to be made. */
    readonly NewWebhook: {
      /**
       * Format: iri
       * @description Where to: an https URL of a public host, at most 2048 bytes, without credentials. Redirects are not followed.
       */
      readonly url: string;
      /** @description What to send. */
      readonly events: readonly (
        | 'link.created'
        | 'link.revoked'
        | 'link.flagged'
        | 'link.cleared'
        | 'link.clicked'
        | 'case.opened'
      )[];
      /**
       * @description `account` unless it is given.
       * @enum {string}
       */
      readonly scope?: 'account' | 'installation';
    };
    /** @description A new webhook. */
    readonly CreatedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description `account`: events of your links. `installation`, for administrators: `case.opened`, and `link.flagged` of all links.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description What it is sent. Accept values that you do not know. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Null while it is enabled. `owner`: by you. `gone`: it answered 410. `failing`: it took nothing for days. `backlog`: too much waited for it. Accept values that you do not know. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description Since when no attempt at this URL succeeded; null if the last one did, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The API key that made it or last set its address; null if that was done in the dashboard.
       */
      readonly key_id: string | null;
      /** @description Signs the messages. Shown this once. */
      readonly secret: string;
    };
    /** @description A webhook as it should be. */
    readonly WebhookChange: {
      /**
       * Format: iri
       * @description Where to: an https URL of a public host, at most 2048 bytes, without credentials. Redirects are not followed.
       */
      readonly url: string;
      /** @description What to send. */
      readonly events: readonly (
        | 'link.created'
        | 'link.revoked'
        | 'link.flagged'
        | 'link.cleared'
        | 'link.clicked'
        | 'case.opened'
      )[];
      /** @description What happens while it is off is not sent later. */
      readonly enabled: boolean;
    };
    /** @description A changed webhook. */
    readonly ChangedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description `account`: events of your links. `installation`, for administrators: `case.opened`, and `link.flagged` of all links.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description What it is sent. Accept values that you do not know. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Null while it is enabled. `owner`: by you. `gone`: it answered 410. `failing`: it took nothing for days. `backlog`: too much waited for it. Accept values that you do not know. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description Since when no attempt at this URL succeeded; null if the last one did, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The API key that made it or last set its address; null if that was done in the dashboard.
       */
      readonly key_id: string | null;
      /** @description The new secret, shown this once; null if it did not change. */
      readonly secret: string | null;
    };
    /** @description A deleted webhook. */
    readonly DeletedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /** Format: date-time */
      readonly deleted_at: string;
    };
    /** @description A webhook with a new secret. */
    readonly RotatedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description `account`: events of your links. `installation`, for administrators: `case.opened`, and `link.flagged` of all links.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description What it is sent. Accept values that you do not know. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Null while it is enabled. `owner`: by you. `gone`: it answered 410. `failing`: it took nothing for days. `backlog`: too much waited for it. Accept values that you do not know. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description Since when no attempt at this URL succeeded; null if the last one did, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The API key that made it or last set its address; null if that was done in the dashboard.
       */
      readonly key_id: string | null;
      /** @description Signs the messages. Shown this once. */
      readonly secret: string;
      /**
       * Format: date-time
       * @description The earlier secret signs until then, too.
       */
      readonly old_secret_until: string;
    };
    /** @description A message to a webhook, and what became of it. */
    readonly WebhookDelivery: {
      /** @description Its `webhook-id`: the same over all attempts and replays. */
      readonly id: string;
      /** @description The event, or `webhook.test`. */
      readonly type: string;
      /**
       * @description A `failed` one is not tried any more.
       * @enum {string}
       */
      readonly state: 'pending' | 'delivered' | 'failed';
      /** Format: date-time */
      readonly created_at: string;
      /** @description Since it was made, or replayed. */
      readonly attempts: number;
      /** Format: date-time */
      readonly last_attempt_at: string | null;
      /**
       * Format: date-time
       * @description Null unless it is pending.
       */
      readonly next_attempt_at: string | null;
      /** @description What the receiver answered last; null if it did not. */
      readonly last_status: number | null;
      /** @description Why the last attempt failed. */
      readonly last_error: string | null;
      /** @description The first 1024 bytes of the last answer, as text. */
      readonly last_answer: string | null;
    };
    /** @description Some deliveries of a webhook. */
    readonly WebhookDeliveryPage: {
      readonly data: readonly components['schemas']['WebhookDelivery'][];
      /** @description For `before`, to go on; null at the end. */
      readonly next: string | null;
    };
    /** @description Why a flag is wrong. */
    readonly ReviewRequest: {
      /** @description Why the flag is wrong. One line. */
      readonly message: string;
    };
    /** @description A report about a link, or a request to review its flag. */
    readonly Case: {
      /** @description Everybody who knows the number may read the state of the case. */
      readonly number: string;
      /** @enum {string} */
      readonly kind: 'report' | 'review';
      readonly slug: string;
      /**
       * @description What a visitor reports it as; null on a review.
       * @enum {string|null}
       */
      readonly category: 'phishing' | 'malware' | 'scam' | 'spam' | 'policy_violation' | null;
      /** @description May have several lines, and be empty on a report. */
      readonly message: string;
      /** @description Whether the owner asked through the API; else a visitor did. */
      readonly by_owner: boolean;
      /**
       * @description `upheld`: the person who filed the case was right.
       * @enum {string}
       */
      readonly state: 'open' | 'upheld' | 'dismissed';
      /** @description The reason of the decision, for the person who filed the case. */
      readonly reason: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly decided_at: string | null;
      /** @description The page with the state of the case, for the person who filed it. */
      readonly url: string;
    };
    /** @description Why. */
    readonly Suspension: {
      /** @description The owner reads it. One line. */
      readonly reason?: string;
    };
    /** @description A link, as administrators see it. */
    readonly InspectedLink: {
      readonly link: components['schemas']['Link'];
      /** @description The e-mail address of its account. */
      readonly owner: string;
      /** @description What scans found and administrators decided, the newest first, at most ten. None for a clean link. */
      readonly verdicts: readonly {
        /** Format: date-time */
        readonly at: string;
        /**
         * @description A scan, or what an administrator decided. Accept values that you do not know.
         * @enum {string}
         */
        readonly source: 'scan' | 'take_down' | 'review';
        /** @description Of a scan `clean`, `warned` or `flagged`; of a take-down `flagged`; of a review `cleared` or `kept`. */
        readonly outcome: string;
        readonly threat_type: string | null;
        /** @description `rule` names a feed (`feed:…`) or a rule, `evidence` what it matched. */
        readonly reasons: readonly {
          readonly rule: string;
          readonly evidence: string;
        }[];
        /** @description Of the threat database; null for a review. */
        readonly generation: string | null;
      }[];
    };
    /** @description Why a link is taken down. */
    readonly TakeDown: {
      /**
       * @description What visitors are told that it is suspected of.
       * @enum {string}
       */
      readonly threat_type:
        | 'malware'
        | 'phishing'
        | 'harmful_application'
        | 'scam'
        | 'unwanted_software'
        | 'spam'
        | 'suspicious'
        | 'policy_violation';
      /** @description The owner reads it with the link. One line. */
      readonly reason: string;
    };
    /** @description The links of one account to one host that are not revoked or taken down. */
    readonly LinksToHost: {
      /** @description The e-mail address of the account. */
      readonly owner: string;
      /** @description Without a port, whatever the ports of the links are. */
      readonly host: string;
      readonly count: number;
      /** @description The first of them, at most ten. */
      readonly links: readonly components['schemas']['Link'][];
    };
    /** @description Why links are taken down. */
    readonly HostTakeDown: {
      /**
       * @description What visitors are told that it is suspected of.
       * @enum {string}
       */
      readonly threat_type:
        | 'malware'
        | 'phishing'
        | 'harmful_application'
        | 'scam'
        | 'unwanted_software'
        | 'spam'
        | 'suspicious'
        | 'policy_violation';
      /** @description The owner reads it with the link. One line. */
      readonly reason: string;
      /** @description `next` of the call before. */
      readonly after?: string | null;
    };
    /** @description A part of a take-down of many links. */
    readonly HostTakenDown: {
      /** @description Links that this call has changed. */
      readonly taken_down: number;
      /** @description `after` of the next call; null: all are done. */
      readonly next: string | null;
    };
    /** @description The decision on a flagged link. */
    readonly Review: {
      /**
       * @description `clear` makes the link active, and the same evidence does not flag it again; `keep` leaves it and is recorded.
       * @enum {string}
       */
      readonly decision: 'clear' | 'keep';
      /** @description Kept with the link. One line. */
      readonly reason: string;
    };
    /** @description A page of cases. */
    readonly CasePage: {
      readonly data: readonly components['schemas']['Case'][];
      /** @description `before` of the next page; null: this is the last. */
      readonly next: string | null;
    };
    /** @description How many cases are open. */
    readonly CaseCount: {
      readonly report: {
        readonly open: number;
        /**
         * Format: date-time
         * @description Null if there is none.
         */
        readonly oldest_at: string | null;
      };
      readonly review: {
        readonly open: number;
        /**
         * Format: date-time
         * @description Null if there is none.
         */
        readonly oldest_at: string | null;
      };
    };
    /** @description The decision on a case. */
    readonly CaseDecision: {
      /**
       * @description `upheld`: the report or the request is right.
       * @enum {string}
       */
      readonly decision: 'upheld' | 'dismissed';
      /** @description For the person who filed the case, and the owner of a link that is taken down. One line. */
      readonly reason: string;
      /**
       * @description Of a link that is taken down; what it was reported as unless it is given.
       * @enum {string|null}
       */
      readonly threat_type?:
        | 'malware'
        | 'phishing'
        | 'harmful_application'
        | 'scam'
        | 'unwanted_software'
        | 'spam'
        | 'suspicious'
        | 'policy_violation'
        | null;
    };
    /** @description The threat feeds that decide verdicts. */
    readonly ThreatFeedList: {
      /** @description By name. */
      readonly data: readonly components['schemas']['ThreatFeed'][];
      readonly takedown_times: components['schemas']['TakedownTimes'];
    };
    /** @description A list of threats. */
    readonly ThreatFeed: {
      readonly name: string;
      readonly entries: number;
      /**
       * Format: date-time
       * @description When its content last changed. Null if it never came. Of a shipped feed, the date of the data.
       */
      readonly updated_at: string | null;
      /** @description Since then; null if it never came. */
      readonly age_seconds: number | null;
      /** @description The content has not changed for seven periods. */
      readonly stale: boolean;
      /** @description Of the last attempt to update it; null if that worked. */
      readonly last_error: string | null;
      /** @description Hosts and pages of this service that the feed lists; at most 100. */
      readonly own_addresses: readonly {
        /** @description Host and path; `/` for the whole host. */
        readonly address: string;
        /** Format: date-time */
        readonly since: string;
      }[];
      /** @description Short links that the feed lists; at most 100. */
      readonly own_links: readonly {
        readonly slug: string;
        /** Format: date-time */
        readonly since: string;
        /** @enum {string} */
        readonly status: 'active' | 'flagged' | 'revoked';
        /**
         * Format: date-time
         * @description When this feed flagged it; null if it did not.
         */
        readonly flagged_at: string | null;
      }[];
      /** @description Where to ask the publisher to remove an entry. */
      readonly removal_url: string | null;
    };
    /** @description For a request to remove an entry. Null unless a feed names this service. */
    readonly TakedownTimes: {
      /** @description From the listing of a short link to its flag, of the links above. */
      readonly listings: {
        readonly count: number;
        /** @description Null without any. */
        readonly median_seconds: number | null;
        /** @description Null without any. */
        readonly longest_seconds: number | null;
      };
      /** @description From the report of a visitor that was right to the decision, of the last 180 days. */
      readonly reports: {
        readonly count: number;
        /** @description Null without any. */
        readonly median_seconds: number | null;
        /** @description Null without any. */
        readonly longest_seconds: number | null;
      };
    } | null;
    /** @description A page of what is stored about you. */
    readonly AccountExport: {
      readonly person: components['schemas']['PersonalRecords'];
      readonly links: readonly components['schemas']['Link'][];
      /** @description `after` of the next page; null: this is the last. */
      readonly next: string | null;
    };
    /** @description Null on later pages. */
    readonly PersonalRecords: {
      readonly account: components['schemas']['AccountDetails'];
      readonly keys: readonly components['schemas']['ApiKey'][];
      readonly passkeys: readonly components['schemas']['Passkey'][];
      /** @description What you sign in with at a provider. */
      readonly identities: readonly components['schemas']['Identity'][];
      readonly sessions: readonly components['schemas']['Session'][];
      readonly devices: readonly components['schemas']['Device'][];
      readonly webhooks: readonly components['schemas']['WebhookEndpoint'][];
      /** @description What you asked us to review; the newest 1,000. */
      readonly cases: readonly components['schemas']['Case'][];
      /** @description What you did, and what happened to your account, keys and links; the newest 1,000. */
      readonly audit: readonly {
        /** Format: date-time */
        readonly at: string;
        /** @enum {string} */
        readonly actor: 'you' | 'administrator' | 'operator' | 'somebody';
        /**
         * @description Accept values that you do not know.
         * @enum {string}
         */
        readonly action:
          | 'account.created'
          | 'account.deleted'
          | 'account.keys_read'
          | 'account.limit_set'
          | 'account.links_imported'
          | 'account.password_changed'
          | 'account.resumed'
          | 'account.secured'
          | 'account.sessions_ended'
          | 'account.sign_in_link_made'
          | 'account.suspended'
          | 'backup.made'
          | 'backup.restored'
          | 'case.decided'
          | 'feed.entry_released'
          | 'feed.imported'
          | 'identity.linked'
          | 'identity.removed'
          | 'key.created'
          | 'key.deleted'
          | 'link.exported'
          | 'link.read'
          | 'link.reviewed'
          | 'link.taken_down'
          | 'passkey.created'
          | 'passkey.deleted'
          | 'session.ended'
          | 'session.started'
          | 'visitor_secret.rotated'
          | 'webhook.changed'
          | 'webhook.created'
          | 'webhook.deleted'
          | 'webhook.secret_rotated';
        readonly subject: string;
        readonly detail: string;
      }[];
    } | null;
    /** @description What the service depends on. */
    readonly HealthDetails: {
      readonly data: readonly components['schemas']['HealthDetail'][];
    };
    /** @description Something that the service depends on. */
    readonly HealthDetail: {
      readonly name: string;
      readonly ok: boolean;
      /** @description What is wrong with it; null if it is well. */
      readonly detail: string | null;
      /**
       * Format: date-time
       * @description Of `backup`, when the newest backup was made; else null.
       */
      readonly last_done_at: string | null;
    };
    /** @description The process lives. */
    readonly Alive: {
      /** @constant */
      readonly status: 'alive';
    };
    /** @description Whether the service can do its work, and whether each thing it depends on is well. */
    readonly Readiness: {
      /** @enum {string} */
      readonly status: 'ready' | 'not_ready';
      /** @description By name. */
      readonly dependencies: {
        readonly [key: string]: {
          readonly ok: boolean;
        };
      };
    };
    /** @description A page of the audit log. */
    readonly AuditPage: {
      readonly data: readonly components['schemas']['AuditEntry'][];
      /** @description `before` of the next page; null: this is the last. */
      readonly next: string | null;
    };
    /** @description What somebody did. */
    readonly AuditEntry: {
      readonly id: string;
      /** Format: date-time */
      readonly at: string;
      /** @description An e-mail address, or the id of an account that is gone; `operator`: by command. */
      readonly actor: string;
      /** @enum {string} */
      readonly via: 'key' | 'session' | 'operator' | 'password' | 'passkey' | 'provider' | 'sign_in_link' | 'first_run';
      /** @description The id of the key, or what tells the session from others. */
      readonly credential: string | null;
      /**
       * @description Accept values that you do not know.
       * @enum {string}
       */
      readonly action:
        | 'account.created'
        | 'account.deleted'
        | 'account.keys_read'
        | 'account.limit_set'
        | 'account.links_imported'
        | 'account.password_changed'
        | 'account.resumed'
        | 'account.secured'
        | 'account.sessions_ended'
        | 'account.sign_in_link_made'
        | 'account.suspended'
        | 'backup.made'
        | 'backup.restored'
        | 'case.decided'
        | 'feed.entry_released'
        | 'feed.imported'
        | 'identity.linked'
        | 'identity.removed'
        | 'key.created'
        | 'key.deleted'
        | 'link.exported'
        | 'link.read'
        | 'link.reviewed'
        | 'link.taken_down'
        | 'passkey.created'
        | 'passkey.deleted'
        | 'session.ended'
        | 'session.started'
        | 'visitor_secret.rotated'
        | 'webhook.changed'
        | 'webhook.created'
        | 'webhook.deleted'
        | 'webhook.secret_rotated';
      /** @description An e-mail address, the id of a key, a slug, or the name of a feed; empty for an account that is not there, and for what concerns everybody. */
      readonly subject: string;
      /** @description The account that the subject is, or belongs to. */
      readonly account: string | null;
      /** @enum {string} */
      readonly outcome: 'done' | 'refused';
      /** @description What exactly, or why; may be empty. */
      readonly detail: string;
    };
    /** @description A link was created or has changed. */
    readonly LinkMessage: {
      /** @enum {string} */
      readonly type: 'link.created' | 'link.revoked' | 'link.flagged' | 'link.cleared';
      /**
       * Format: date-time
       * @description When it happened (UTC). An attempt has its own time, in `webhook-timestamp`.
       */
      readonly timestamp: string;
      readonly data: {
        readonly slug: string;
        /** Format: uri */
        readonly short_url: string;
        /** Format: iri */
        readonly destination_url: string;
        /** @enum {string} */
        readonly status: 'active' | 'flagged' | 'revoked';
        /** @description What the destination is suspected of; null for a clean link. */
        readonly threat_type: string | null;
        /** @description A later change of the link has a higher one. */
        readonly version: number;
      };
    };
    /** @description Visitors were redirected. */
    readonly ClicksMessage: {
      /** @constant */
      readonly type: 'link.clicked';
      /**
       * Format: date-time
       * @description When it happened (UTC). An attempt has its own time, in `webhook-timestamp`.
       */
      readonly timestamp: string;
      readonly data: {
        readonly clicks: readonly {
          /** @description The same in every message that holds this click. */
          readonly id: string;
          readonly slug: string;
          /** Format: date-time */
          readonly at: string;
          /** @description ISO 3166-1 alpha-2; `ZZ` if it is unknown. */
          readonly country: string;
          /** @enum {string} */
          readonly device: 'desktop' | 'mobile' | 'tablet';
          /** @description `Unknown` if it is. */
          readonly browser: string;
          /** @description The host name that the visitor sent: do not trust it. */
          readonly referrer: string | null;
          /** @description Whether a known bot followed the link. */
          readonly bot: boolean;
        }[];
      };
    };
    /** @description You asked for a test. */
    readonly TestMessage: {
      /** @constant */
      readonly type: 'webhook.test';
      /**
       * Format: date-time
       * @description When it happened (UTC). An attempt has its own time, in `webhook-timestamp`.
       */
      readonly timestamp: string;
      readonly data: {
        /**
         * Format: uuid
         * @description The id of the webhook.
         */
        readonly webhook: string;
      };
    };
    /** @description A visitor reported a link, or somebody asked for the review of a flag. */
    readonly CaseMessage: {
      /** @constant */
      readonly type: 'case.opened';
      /**
       * Format: date-time
       * @description When it was filed (UTC).
       */
      readonly timestamp: string;
      readonly data: {
        /** @description Everybody who knows the number may read the state of the case. */
        readonly number: string;
        /** @enum {string} */
        readonly kind: 'report' | 'review';
        readonly slug: string;
        /** Format: uri */
        readonly short_url: string;
        /**
         * @description What a visitor reports it as; null on a review.
         * @enum {string|null}
         */
        readonly category: 'phishing' | 'malware' | 'scam' | 'spam' | 'policy_violation' | null;
        /** @description Whether the owner asked through the API; else a visitor did. */
        readonly by_owner: boolean;
        /**
         * Format: uri
         * @description Where an administrator reads and decides it.
         */
        readonly url: string;
      };
    };
  };
  responses: never;
  parameters: {
    /** @description `true`: every check and the scan, but nothing is made and nothing is spent. Answers 200 instead of 201, and ignores `Idempotency-Key`. */
    readonly dry_run: 'true' | 'false';
    /** @description Makes a retry safe: the same key with the same body within 24 hours is answered with the first answer, spends nothing and makes nothing. Printable ASCII; a UUID does well. */
    readonly 'Idempotency-Key': string;
    /**
     * @description Which page.
     * @example 1
     */
    readonly page: number;
    /**
     * @description How many on a page.
     * @example 25
     */
    readonly limit: number;
    /** @description Sorts by this field; ties by slug. Text is sorted by its bytes. `clicks` lists the 1,000 links with the most clicks of the last 30 days. */
    readonly sort: 'created_at' | 'updated_at' | 'slug' | 'destination_url' | 'status' | 'clicks';
    /** @description Ascending or descending. */
    readonly order: 'asc' | 'desc';
    /** @description Only links of this status. */
    readonly status: 'active' | 'flagged' | 'revoked';
    /**
     * @description Only links with exactly this tag. Repeated: with all of them, at most 10, as no link has more.
     * @example [
     *       "docs"
     *     ]
     */
    readonly tag: readonly string[];
    /**
     * @description Only links with this text in their slug or destination, in capital or small letters. A text of more than 2048 characters is in none.
     * @example wiki
     */
    readonly search: string;
    /**
     * @description The slug of the link.
     * @example aB3dE6g
     */
    readonly slug: string;
    /**
     * @description 1 to 100 slugs of your links, each once: repeated, or in one separated by commas.
     * @example [
     *       "aB3dE6g",
     *       "summer"
     *     ]
     */
    readonly slugs: readonly string[];
    /** @description The last 7, 30 or 90 UTC days, today included. */
    readonly period: '7d' | '30d' | '90d';
    /** @description `exclude` leaves known bots out of every figure. */
    readonly bots: 'include' | 'exclude';
    /**
     * @description The id of the passkey.
     * @example b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44
     */
    readonly id: string;
    /**
     * @description The id of the session.
     * @example 9f86d081884c
     */
    readonly 'endSession.id': string;
    /**
     * @description The id of the device.
     * @example 5a1e7f0c-2b34-4c9d-8a11-6f0d3b9c7e21
     */
    readonly 'confirmDevice.id': string;
    /**
     * @description The id of the identity.
     * @example c1d2a5de-6a0b-4f5e-9c1a-2f5f0a7f3b10
     */
    readonly 'removeIdentity.id': string;
    /**
     * @description Only accounts with this text in their e-mail address.
     * @example ada
     */
    readonly 'listAccounts.search': string;
    /** @description Only accounts that are suspended, or that are not. */
    readonly 'listAccounts.status': 'active' | 'suspended';
    /**
     * @description The e-mail address of the account.
     * @example ada@example.org
     */
    readonly email: string;
    /**
     * @description The id of the key.
     * @example b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44
     */
    readonly 'deleteKey.id': string;
    /** @description What becomes of its webhooks. By default they go on. */
    readonly webhooks: 'keep' | 'switch_off';
    /**
     * @description The id of the key.
     * @example b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44
     */
    readonly 'deleteAnyKey.id': string;
    /**
     * @description The id of a webhook of yours.
     * @example 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f
     */
    readonly webhook: string;
    /** @description Only deliveries of this state. */
    readonly state: 'pending' | 'delivered' | 'failed';
    /**
     * @description Only deliveries from before the one of this id.
     * @example msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e
     */
    readonly before: string;
    /**
     * @description The id of a delivery of this webhook.
     * @example msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e
     */
    readonly delivery: string;
    /**
     * @description Only entries older than this one: `next` of the page before.
     * @example 4711
     */
    readonly 'listReviewRequests.before': string;
    /** @description Only cases in this state. */
    readonly 'listReviewRequests.state': 'open' | 'upheld' | 'dismissed';
    /**
     * @description Only decisions from then on, in UTC.
     * @example 2026-11-21
     */
    readonly decided_since: string;
    /**
     * @description Only entries older than this one: `next` of the page before.
     * @example 4711
     */
    readonly 'listCases.before': string;
    /** @description Only such cases. */
    readonly kind: 'report' | 'review';
    /** @description Only cases in this state. */
    readonly 'listCases.state': 'open' | 'upheld' | 'dismissed';
    /**
     * @description Only cases about the link with this slug.
     * @example k7Qm2Rx
     */
    readonly about: string;
    /**
     * @description The number of the case.
     * @example k7Qm2Rx-aB3dE6g
     */
    readonly number: string;
    /**
     * @description `next` of the page before.
     * @example 2026-11-21T09:30:00.000Z_aB3dE6g
     */
    readonly after: string;
    /**
     * @description Only entries older than this one: `next` of the page before.
     * @example 4711
     */
    readonly 'listAudit.before': string;
    /**
     * @description Only entries from then on, in UTC.
     * @example 2026-11-21
     */
    readonly since: string;
    /** @description Only by this account, by its e-mail address, or by `operator`. */
    readonly actor: string;
    /** @description Only such changes. */
    readonly action:
      | 'account.created'
      | 'account.deleted'
      | 'account.keys_read'
      | 'account.limit_set'
      | 'account.links_imported'
      | 'account.password_changed'
      | 'account.resumed'
      | 'account.secured'
      | 'account.sessions_ended'
      | 'account.sign_in_link_made'
      | 'account.suspended'
      | 'backup.made'
      | 'backup.restored'
      | 'case.decided'
      | 'feed.entry_released'
      | 'feed.imported'
      | 'identity.linked'
      | 'identity.removed'
      | 'key.created'
      | 'key.deleted'
      | 'link.exported'
      | 'link.read'
      | 'link.reviewed'
      | 'link.taken_down'
      | 'passkey.created'
      | 'passkey.deleted'
      | 'session.ended'
      | 'session.started'
      | 'visitor_secret.rotated'
      | 'webhook.changed'
      | 'webhook.created'
      | 'webhook.deleted'
      | 'webhook.secret_rotated';
    /** @description Only about this link (its slug) or key (its id), or, with an e-mail address, about this account, its keys and links. */
    readonly subject: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type NewLink = components['schemas']['NewLink'];
export type Checked = components['schemas']['Checked'];
export type CheckedLink = components['schemas']['CheckedLink'];
export type Warning = components['schemas']['Warning'];
export type Created = components['schemas']['Created'];
export type Link = components['schemas']['Link'];
export type Error = components['schemas']['Error'];
export type LinkPage = components['schemas']['LinkPage'];
export type LinkFacets = components['schemas']['LinkFacets'];
export type NewLinks = components['schemas']['NewLinks'];
export type CheckedMany = components['schemas']['CheckedMany'];
export type CreatedMany = components['schemas']['CreatedMany'];
export type UrlToCheck = components['schemas']['UrlToCheck'];
export type UrlCheck = components['schemas']['UrlCheck'];
export type LinkScan = components['schemas']['LinkScan'];
export type LinkClicks = components['schemas']['LinkClicks'];
export type Analytics = components['schemas']['Analytics'];
export type Overview = components['schemas']['Overview'];
export type SessionState = components['schemas']['SessionState'];
export type SignIn = components['schemas']['SignIn'];
export type SignedIn = components['schemas']['SignedIn'];
export type SignedOut = components['schemas']['SignedOut'];
export type SignInOptions = components['schemas']['SignInOptions'];
export type PasskeySignIn = components['schemas']['PasskeySignIn'];
export type PasskeyOptions = components['schemas']['PasskeyOptions'];
export type ProviderAddress = components['schemas']['ProviderAddress'];
export type FirstRun = components['schemas']['FirstRun'];
export type Account = components['schemas']['Account'];
export type AccountQuota = components['schemas']['AccountQuota'];
export type AccountDeletion = components['schemas']['AccountDeletion'];
export type DeletedAccount = components['schemas']['DeletedAccount'];
export type PasskeyList = components['schemas']['PasskeyList'];
export type Passkey = components['schemas']['Passkey'];
export type NewPasskey = components['schemas']['NewPasskey'];
export type RemovedPasskey = components['schemas']['RemovedPasskey'];
export type PasswordChange = components['schemas']['PasswordChange'];
export type Done = components['schemas']['Done'];
export type Proof = components['schemas']['Proof'];
export type RemovedIdentity = components['schemas']['RemovedIdentity'];
export type AccountPage = components['schemas']['AccountPage'];
export type AccountDetails = components['schemas']['AccountDetails'];
export type NewAccount = components['schemas']['NewAccount'];
export type CreatedAccount = components['schemas']['CreatedAccount'];
export type Limit = components['schemas']['Limit'];
export type AccountLimit = components['schemas']['AccountLimit'];
export type AccountCredentials = components['schemas']['AccountCredentials'];
export type Session = components['schemas']['Session'];
export type Device = components['schemas']['Device'];
export type Identity = components['schemas']['Identity'];
export type ApiKey = components['schemas']['ApiKey'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type AccountRemovals = components['schemas']['AccountRemovals'];
export type ApiKeyList = components['schemas']['ApiKeyList'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type DeletedApiKey = components['schemas']['DeletedApiKey'];
export type WebhookOfKey = components['schemas']['WebhookOfKey'];
export type WebhookList = components['schemas']['WebhookList'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type CreatedWebhook = components['schemas']['CreatedWebhook'];
export type WebhookChange = components['schemas']['WebhookChange'];
export type ChangedWebhook = components['schemas']['ChangedWebhook'];
export type DeletedWebhook = components['schemas']['DeletedWebhook'];
export type RotatedWebhook = components['schemas']['RotatedWebhook'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryPage = components['schemas']['WebhookDeliveryPage'];
export type ReviewRequest = components['schemas']['ReviewRequest'];
export type Case = components['schemas']['Case'];
export type Suspension = components['schemas']['Suspension'];
export type InspectedLink = components['schemas']['InspectedLink'];
export type TakeDown = components['schemas']['TakeDown'];
export type LinksToHost = components['schemas']['LinksToHost'];
export type HostTakeDown = components['schemas']['HostTakeDown'];
export type HostTakenDown = components['schemas']['HostTakenDown'];
export type Review = components['schemas']['Review'];
export type CasePage = components['schemas']['CasePage'];
export type CaseCount = components['schemas']['CaseCount'];
export type CaseDecision = components['schemas']['CaseDecision'];
export type ThreatFeedList = components['schemas']['ThreatFeedList'];
export type ThreatFeed = components['schemas']['ThreatFeed'];
export type TakedownTimes = components['schemas']['TakedownTimes'];
export type AccountExport = components['schemas']['AccountExport'];
export type PersonalRecords = components['schemas']['PersonalRecords'];
export type HealthDetails = components['schemas']['HealthDetails'];
export type HealthDetail = components['schemas']['HealthDetail'];
export type Alive = components['schemas']['Alive'];
export type Readiness = components['schemas']['Readiness'];
export type AuditPage = components['schemas']['AuditPage'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type LinkMessage = components['schemas']['LinkMessage'];
export type ClicksMessage = components['schemas']['ClicksMessage'];
export type TestMessage = components['schemas']['TestMessage'];
export type CaseMessage = components['schemas']['CaseMessage'];

/** What a webhook is sent. `type` tells which it is; a later version of the API may have more. */
export type WebhookMessage = LinkMessage | ClicksMessage | TestMessage | CaseMessage;

export type Parameters = components['parameters'];

/** Without the operation's id, where several have different parameters of one name. */
type NameOf<Key> = Key extends `${string}.${infer Name}` ? Name : Key;

/** What an operation takes and answers. */
interface Operation<Path extends keyof Parameters, Query extends keyof Parameters, Body, Answer> {
  readonly path: { readonly [Key in Path as NameOf<Key>]: Parameters[Key] };
  readonly query: { readonly [Key in Query as NameOf<Key>]?: Parameters[Key] | undefined };
  readonly body: Body;
  readonly answer: Answer;
}

/** What each operation takes and answers. */
export interface Operations {
  readonly createLink: Operation<never, 'dry_run', NewLink, Checked | Created>;
  readonly listLinks: Operation<
    never,
    'page' | 'limit' | 'sort' | 'order' | 'status' | 'tag' | 'search',
    undefined,
    LinkPage
  >;
  readonly getFacets: Operation<never, never, undefined, LinkFacets>;
  readonly createLinks: Operation<never, 'dry_run', NewLinks, CheckedMany | CreatedMany>;
  readonly checkUrl: Operation<never, never, UrlToCheck, UrlCheck>;
  readonly getLink: Operation<'slug', never, undefined, Link>;
  readonly revokeLink: Operation<'slug', never, undefined, Link>;
  readonly getScan: Operation<'slug', never, undefined, LinkScan>;
  readonly getLinkClicks: Operation<never, 'slugs' | 'period' | 'bots', undefined, LinkClicks>;
  readonly getAnalytics: Operation<'slug', 'period' | 'bots', undefined, Analytics>;
  readonly getOverview: Operation<never, 'period' | 'bots', undefined, Overview>;
  readonly getSession: Operation<never, never, undefined, SessionState>;
  readonly signIn: Operation<never, never, SignIn, SignedIn>;
  readonly signOut: Operation<never, never, undefined, SignedOut>;
  readonly getSignInOptions: Operation<never, never, undefined, SignInOptions>;
  readonly signInByPasskey: Operation<never, never, PasskeySignIn, SignedIn>;
  readonly beginSignInByPasskey: Operation<never, never, undefined, PasskeyOptions>;
  readonly beginProviderSignIn: Operation<never, never, undefined, ProviderAddress>;
  readonly firstRun: Operation<never, never, FirstRun, SignedIn>;
  readonly getAccount: Operation<never, never, undefined, Account>;
  readonly deleteAccount: Operation<never, never, AccountDeletion, DeletedAccount>;
  readonly listPasskeys: Operation<never, never, undefined, PasskeyList>;
  readonly createPasskey: Operation<never, never, NewPasskey, Passkey>;
  readonly beginPasskey: Operation<never, never, undefined, PasskeyOptions>;
  readonly deletePasskey: Operation<'id', never, undefined, RemovedPasskey>;
  readonly changePassword: Operation<never, never, PasswordChange, Done>;
  readonly endSessions: Operation<never, never, undefined, Done>;
  readonly proveSession: Operation<never, never, Proof, Done>;
  readonly endSession: Operation<'endSession.id', never, undefined, Done>;
  readonly confirmDevice: Operation<'confirmDevice.id', never, undefined, Done>;
  readonly removeIdentity: Operation<'removeIdentity.id', never, undefined, RemovedIdentity>;
  readonly beginIdentity: Operation<never, never, undefined, ProviderAddress>;
  readonly beginProof: Operation<never, never, undefined, ProviderAddress>;
  readonly listAccounts: Operation<
    never,
    'page' | 'limit' | 'listAccounts.search' | 'listAccounts.status',
    undefined,
    AccountPage
  >;
  readonly createAccount: Operation<never, never, NewAccount, CreatedAccount>;
  readonly setLimit: Operation<'email', never, Limit, AccountLimit>;
  readonly getCredentials: Operation<never, never, undefined, AccountCredentials>;
  readonly secureAccount: Operation<never, never, AccountRemovals, AccountCredentials>;
  readonly getAccountCredentials: Operation<'email', never, undefined, AccountCredentials>;
  readonly secureAnyAccount: Operation<'email', never, AccountRemovals, AccountCredentials>;
  readonly listKeys: Operation<never, never, undefined, ApiKeyList>;
  readonly createKey: Operation<never, never, NewApiKey, CreatedApiKey>;
  readonly deleteKey: Operation<'deleteKey.id', 'webhooks', undefined, DeletedApiKey>;
  readonly listAccountKeys: Operation<'email', never, undefined, ApiKeyList>;
  readonly createAccountKey: Operation<'email', never, NewApiKey, CreatedApiKey>;
  readonly deleteAnyKey: Operation<'deleteAnyKey.id', 'webhooks', undefined, DeletedApiKey>;
  readonly listWebhooks: Operation<never, never, undefined, WebhookList>;
  readonly createWebhook: Operation<never, never, NewWebhook, CreatedWebhook>;
  readonly getWebhook: Operation<'webhook', never, undefined, WebhookEndpoint>;
  readonly changeWebhook: Operation<'webhook', never, WebhookChange, ChangedWebhook>;
  readonly deleteWebhook: Operation<'webhook', never, undefined, DeletedWebhook>;
  readonly rotateWebhookSecret: Operation<'webhook', never, undefined, RotatedWebhook>;
  readonly testWebhook: Operation<'webhook', never, undefined, WebhookDelivery>;
  readonly listWebhookDeliveries: Operation<'webhook', 'state' | 'before', undefined, WebhookDeliveryPage>;
  readonly replayWebhookDelivery: Operation<'webhook' | 'delivery', never, undefined, WebhookDelivery>;
  readonly requestReview: Operation<'slug', never, ReviewRequest, Case>;
  readonly suspendAccount: Operation<'email', never, Suspension, AccountDetails>;
  readonly resumeAccount: Operation<'email', never, undefined, AccountDetails>;
  readonly inspectLink: Operation<'slug', never, undefined, InspectedLink>;
  readonly takeDownLink: Operation<'slug', never, TakeDown, Link>;
  readonly listLinksToHost: Operation<'slug', never, undefined, LinksToHost>;
  readonly takeDownHost: Operation<'slug', never, HostTakeDown, HostTakenDown>;
  readonly reviewLink: Operation<'slug', never, Review, Link>;
  readonly listReviewRequests: Operation<
    never,
    'limit' | 'listReviewRequests.before' | 'listReviewRequests.state' | 'decided_since',
    undefined,
    CasePage
  >;
  readonly listCases: Operation<
    never,
    'limit' | 'listCases.before' | 'kind' | 'listCases.state' | 'about',
    undefined,
    CasePage
  >;
  readonly countCases: Operation<never, never, undefined, CaseCount>;
  readonly decideCase: Operation<'number', never, CaseDecision, Case>;
  readonly listFeeds: Operation<never, never, undefined, ThreatFeedList>;
  readonly exportAccount: Operation<never, 'after', undefined, AccountExport>;
  readonly deleteAnyAccount: Operation<'email', never, undefined, DeletedAccount>;
  readonly getHealthDetails: Operation<never, never, undefined, HealthDetails>;
  readonly getHealth: Operation<never, never, undefined, Alive>;
  readonly getReadiness: Operation<never, never, undefined, Readiness>;
  readonly listAudit: Operation<
    never,
    'limit' | 'listAudit.before' | 'since' | 'actor' | 'action' | 'subject',
    undefined,
    AuditPage
  >;
}

/** The method and the path of each. */
export const OPERATIONS = {
  createLink: ['POST', '/api/v1/links'],
  listLinks: ['GET', '/api/v1/links'],
  getFacets: ['GET', '/api/v1/facets'],
  createLinks: ['POST', '/api/v1/links/bulk'],
  checkUrl: ['POST', '/api/v1/check'],
  getLink: ['GET', '/api/v1/links/{slug}'],
  revokeLink: ['POST', '/api/v1/links/{slug}/revoke'],
  getScan: ['GET', '/api/v1/links/{slug}/scan'],
  getLinkClicks: ['GET', '/api/v1/links/clicks'],
  getAnalytics: ['GET', '/api/v1/links/{slug}/analytics'],
  getOverview: ['GET', '/api/v1/analytics'],
  getSession: ['GET', '/session'],
  signIn: ['POST', '/session'],
  signOut: ['DELETE', '/session'],
  getSignInOptions: ['GET', '/session/options'],
  signInByPasskey: ['POST', '/session/passkey'],
  beginSignInByPasskey: ['POST', '/session/passkey/challenge'],
  beginProviderSignIn: ['POST', '/session/oidc'],
  firstRun: ['POST', '/first-run'],
  getAccount: ['GET', '/api/v1/account'],
  deleteAccount: ['DELETE', '/api/v1/account'],
  listPasskeys: ['GET', '/api/v1/account/passkeys'],
  createPasskey: ['POST', '/api/v1/account/passkeys'],
  beginPasskey: ['POST', '/api/v1/account/passkeys/challenge'],
  deletePasskey: ['DELETE', '/api/v1/account/passkeys/{id}'],
  changePassword: ['PUT', '/api/v1/account/password'],
  endSessions: ['DELETE', '/api/v1/account/sessions'],
  proveSession: ['POST', '/api/v1/account/proof'],
  endSession: ['DELETE', '/api/v1/account/sessions/{id}'],
  confirmDevice: ['POST', '/api/v1/account/devices/{id}/confirm'],
  removeIdentity: ['DELETE', '/api/v1/account/identities/{id}'],
  beginIdentity: ['POST', '/api/v1/account/identities'],
  beginProof: ['POST', '/api/v1/account/proof/provider'],
  listAccounts: ['GET', '/api/v1/admin/accounts'],
  createAccount: ['POST', '/api/v1/admin/accounts'],
  setLimit: ['PUT', '/api/v1/admin/accounts/{email}/limit'],
  getCredentials: ['GET', '/api/v1/account/credentials'],
  secureAccount: ['POST', '/api/v1/account/secure'],
  getAccountCredentials: ['GET', '/api/v1/admin/accounts/{email}/credentials'],
  secureAnyAccount: ['POST', '/api/v1/admin/accounts/{email}/secure'],
  listKeys: ['GET', '/api/v1/account/keys'],
  createKey: ['POST', '/api/v1/account/keys'],
  deleteKey: ['DELETE', '/api/v1/account/keys/{id}'],
  listAccountKeys: ['GET', '/api/v1/admin/accounts/{email}/keys'],
  createAccountKey: ['POST', '/api/v1/admin/accounts/{email}/keys'],
  deleteAnyKey: ['DELETE', '/api/v1/admin/keys/{id}'],
  listWebhooks: ['GET', '/api/v1/webhooks'],
  createWebhook: ['POST', '/api/v1/webhooks'],
  getWebhook: ['GET', '/api/v1/webhooks/{webhook}'],
  changeWebhook: ['PUT', '/api/v1/webhooks/{webhook}'],
  deleteWebhook: ['DELETE', '/api/v1/webhooks/{webhook}'],
  rotateWebhookSecret: ['POST', '/api/v1/webhooks/{webhook}/secret'],
  testWebhook: ['POST', '/api/v1/webhooks/{webhook}/test'],
  listWebhookDeliveries: ['GET', '/api/v1/webhooks/{webhook}/deliveries'],
  replayWebhookDelivery: ['POST', '/api/v1/webhooks/{webhook}/deliveries/{delivery}/replay'],
  requestReview: ['POST', '/api/v1/links/{slug}/review-request'],
  suspendAccount: ['PUT', '/api/v1/admin/accounts/{email}/suspension'],
  resumeAccount: ['DELETE', '/api/v1/admin/accounts/{email}/suspension'],
  inspectLink: ['GET', '/api/v1/admin/links/{slug}'],
  takeDownLink: ['POST', '/api/v1/admin/links/{slug}/take-down'],
  listLinksToHost: ['GET', '/api/v1/admin/links/{slug}/same-host'],
  takeDownHost: ['POST', '/api/v1/admin/links/{slug}/same-host/take-down'],
  reviewLink: ['POST', '/api/v1/admin/links/{slug}/review'],
  listReviewRequests: ['GET', '/api/v1/review-requests'],
  listCases: ['GET', '/api/v1/admin/cases'],
  countCases: ['GET', '/api/v1/admin/cases/count'],
  decideCase: ['POST', '/api/v1/admin/cases/{number}/decision'],
  listFeeds: ['GET', '/api/v1/admin/feeds'],
  exportAccount: ['GET', '/api/v1/account/export'],
  deleteAnyAccount: ['DELETE', '/api/v1/admin/accounts/{email}'],
  getHealthDetails: ['GET', '/api/v1/admin/health'],
  getHealth: ['GET', '/healthz'],
  getReadiness: ['GET', '/readyz'],
  listAudit: ['GET', '/api/v1/admin/audit'],
} as const satisfies Readonly<Record<keyof Operations, readonly [method: string, path: string]>>;
