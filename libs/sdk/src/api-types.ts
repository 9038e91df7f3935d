/** Made by `scripts/api-types.ts` from what the endpoints of `services/link-api` declare: change it there. */
export interface components {
  schemas: {
    /** @description The link to create. An unknown field is an error, so that typos do not go unnoticed. */
    readonly NewLink: {
      /**
       * Format: iri
       * @description The destination URL: an absolute http or https URL of a public host, without credentials, at most 2048 bytes. It must not lead to this service. White space around it is removed.
       * @example https://www.wikipedia.org/
       */
      readonly destination_url: string;
      /**
       * @description A custom slug: letters, digits, `_` and `-`, beginning with a letter or digit. Some words are reserved. Default: a random slug of 7 characters.
       * @example spring-menu
       */
      readonly custom_slug?: string | null;
      /**
       * @description Tags for the link. White space around each is removed, and so are duplicates.
       * @example [
       *       "docs",
       *       "spring"
       *     ]
       */
      readonly tags?: readonly string[] | null;
      /**
       * @description A title: what the link is for. Visitors never see it. White space around it is removed.
       * @example Menu of the spring festival
       */
      readonly title?: string | null;
      /**
       * @description A note, which may have several lines. Visitors never see it. White space around it is removed.
       * @example Printed on the posters.
       */
      readonly note?: string | null;
      /**
       * Format: date-time
       * @description When the link ends: a time with a zone (RFC 3339), in the future and at most 10 years ahead. From then on it does not redirect, and it is revoked.
       * @example 2027-06-01T18:00:00Z
       */
      readonly ends_at?: string | null;
    };
    /** @description The result of a dry run. */
    readonly Checked: {
      readonly link: components['schemas']['CheckedLink'];
      /** @description The short URL. Null if a random slug would be generated. */
      readonly short_url: string | null;
      /** @description Present only if the link is flagged. */
      readonly warning?: components['schemas']['Warning'];
    };
    /** @description A link as a dry run would create it. */
    readonly CheckedLink: {
      /**
       * @description The slug. Null if a random slug would be generated.
       * @example aB3dE6g
       */
      readonly slug: string | null;
      /**
       * Format: iri
       * @description The destination URL, exactly as you sent it.
       */
      readonly destination_url: string;
      /**
       * @description The status. Only an `active` link redirects. `flagged`: the destination is suspected of a threat. `revoked`: permanently disabled.
       * @enum {string}
       */
      readonly status: 'active' | 'flagged' | 'revoked';
      /** @description The threat that the destination is suspected of, or null. One of `malware`, `phishing`, `harmful_application`, `scam`, `unwanted_software`, `spam`, `suspicious`, `policy_violation`. New values may be added: accept unknown ones. */
      readonly threat_type: string | null;
      /** @description Why an operator took the link down. Null if it was not taken down. */
      readonly take_down_reason: string | null;
      /**
       * Format: date-time
       * @description When the link was revoked (UTC). Null if it was not revoked.
       */
      readonly revoked_at: string | null;
      /** @description The tags of the link, in the order that you gave. */
      readonly tags: readonly string[];
      /** @description The title, or null. Visitors never see it. */
      readonly title: string | null;
      /**
       * Format: date-time
       * @description When the link ends (UTC): from then on it does not redirect, and it is revoked. Null if it has no planned end.
       */
      readonly ends_at: string | null;
      /** @description The note, or null. Visitors never see it. */
      readonly note: string | null;
      /**
       * Format: date-time
       * @description When the link was created (UTC, with milliseconds).
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When the link last changed. Equal to `created_at` if it has never changed, and to `revoked_at` once it is revoked.
       */
      readonly updated_at: string;
    };
    /** @description A warning that the link is flagged, so it does not redirect. */
    readonly Warning: {
      /** @description The slug of the link. Null in a dry run if a random slug would be generated. */
      readonly slug: string | null;
      readonly destination_url: string;
      /** @description The threat that the destination is suspected of. */
      readonly threat_type: string;
      /** @description A description of the warning, for people. */
      readonly message: string;
    };
    /** @description The created link. */
    readonly Created: {
      readonly link: components['schemas']['Link'];
      /** @description The short URL to share. */
      readonly short_url: string;
      /** @description Present only if the link is flagged. */
      readonly warning?: components['schemas']['Warning'];
    };
    /** @description A short link. */
    readonly Link: {
      /**
       * @description The slug, which identifies the link in the API and in its short URL. Case-sensitive, never reused.
       * @example aB3dE6g
       */
      readonly slug: string;
      /**
       * Format: iri
       * @description The destination URL, exactly as you sent it.
       */
      readonly destination_url: string;
      /**
       * @description The status. Only an `active` link redirects. `flagged`: the destination is suspected of a threat. `revoked`: permanently disabled.
       * @enum {string}
       */
      readonly status: 'active' | 'flagged' | 'revoked';
      /** @description The threat that the destination is suspected of, or null. One of `malware`, `phishing`, `harmful_application`, `scam`, `unwanted_software`, `spam`, `suspicious`, `policy_violation`. New values may be added: accept unknown ones. */
      readonly threat_type: string | null;
      /** @description Why an operator took the link down. Null if it was not taken down. */
      readonly take_down_reason: string | null;
      /**
       * Format: date-time
       * @description When the link was revoked (UTC). Null if it was not revoked.
       */
      readonly revoked_at: string | null;
      /** @description The tags of the link, in the order that you gave. */
      readonly tags: readonly string[];
      /** @description The title, or null. Visitors never see it. */
      readonly title: string | null;
      /**
       * Format: date-time
       * @description When the link ends (UTC): from then on it does not redirect, and it is revoked. Null if it has no planned end.
       */
      readonly ends_at: string | null;
      /** @description The note, or null. Visitors never see it. */
      readonly note: string | null;
      /**
       * Format: date-time
       * @description When the link was created (UTC, with milliseconds).
       */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description When the link last changed. Equal to `created_at` if it has never changed, and to `revoked_at` once it is revoked.
       */
      readonly updated_at: string;
    };
    /** @description An error response. */
    readonly Error: {
      /** @description The error code, for programs. New codes may be added: accept unknown ones. */
      readonly error: string;
      /** @description A description of the error, for people. Its wording may change. */
      readonly message: string;
      /** @description The HTTP status. */
      readonly status: number;
      /**
       * Format: uuid
       * @description The ID of the error in the log of the server. Present if the status is 500 or above.
       */
      readonly error_id?: string;
      /** @description The invalid fields, each with a description of its problem. In a batch, a field has a name such as `links[3].destination_url`. If slugs are taken: `taken_slugs`, an array. */
      readonly details?: {
        readonly [key: string]: unknown;
      };
    };
    /** @description A page of a list. */
    readonly LinkPage: {
      /** @description The entries of the page. Empty past the last page. */
      readonly data: readonly components['schemas']['Link'][];
      /** @description The number of matching entries on all pages. */
      readonly total: number;
      /** @description The requested page. */
      readonly page: number;
      /** @description The requested number of entries per page. */
      readonly limit: number;
      /** @description The number of pages. 0 if no entry matches. */
      readonly total_pages: number;
    };
    /** @description Counts of the links of an account. */
    readonly LinkFacets: {
      /** @description The number of all links. */
      readonly total: number;
      /** @description The number of links with each status. */
      readonly statuses: {
        readonly active: number;
        readonly flagged: number;
        readonly revoked: number;
      };
      /** @description The 100 most used tags, counted in the newest 10,000 links. */
      readonly tags: readonly {
        readonly tag: string;
        readonly count: number;
      }[];
    };
    /** @description The batch of links to create. */
    readonly NewLinks: {
      /** @description The links to create. No custom slug may occur twice. */
      readonly links: readonly components['schemas']['NewLink'][];
    };
    /** @description The result of a dry run of a batch. */
    readonly CheckedMany: {
      /** @description The links, in the order of the request. */
      readonly links: readonly {
        readonly link: components['schemas']['CheckedLink'];
        /** @description The short URL. Null if a random slug would be generated. */
        readonly short_url: string | null;
      }[];
      /** @description The number of created links: always 0. */
      readonly total_created: number;
      /** @description One warning per flagged link. Absent if no link is flagged. */
      readonly warnings?: readonly components['schemas']['Warning'][];
    };
    /** @description The created links. */
    readonly CreatedMany: {
      /** @description The links, in the order of the request. */
      readonly links: readonly {
        readonly link: components['schemas']['Link'];
        /** @description The short URL to share. */
        readonly short_url: string;
      }[];
      /** @description The number of created links. */
      readonly total_created: number;
      /** @description One warning per flagged link. Absent if no link is flagged. */
      readonly warnings?: readonly components['schemas']['Warning'][];
    };
    /** @description The URL to check. */
    readonly UrlToCheck: {
      /**
       * @description The URL to check.
       * @example https://www.wikipedia.org/
       */
      readonly url: string;
    };
    /** @description The verdict on a URL. */
    readonly UrlCheck: {
      readonly url: string;
      /**
       * @description The outcome of the scan. A link to a `clean` or `warned` URL redirects, and to a `flagged` one does not. A link to a `refused` URL cannot be created.
       * @enum {string}
       */
      readonly outcome: 'clean' | 'warned' | 'flagged' | 'refused';
      /** @description The suspected threat, or null. New values may be added: accept unknown ones. */
      readonly threat_type: string | null;
      /** @description An explanation of the verdict, for people. */
      readonly message: string;
      /** @description The reasons of the verdict: each names a threat feed (`feed:…`) or a rule, and what it matched. */
      readonly reasons: readonly {
        readonly rule: string;
        readonly evidence: string;
      }[];
    };
    /** @description The fields to change, at least one. An absent field stays as it is. A title, note or end of null is removed. */
    readonly LinkEdit: {
      /**
       * @description Tags for the link. White space around each is removed, and so are duplicates.
       * @example [
       *       "docs",
       *       "spring"
       *     ]
       */
      readonly tags?: readonly string[] | null;
      /**
       * @description A title: what the link is for. Visitors never see it. White space around it is removed.
       * @example Menu of the spring festival
       */
      readonly title?: string | null;
      /**
       * @description A note, which may have several lines. Visitors never see it. White space around it is removed.
       * @example Printed on the posters.
       */
      readonly note?: string | null;
      /**
       * Format: date-time
       * @description When the link ends: a time with a zone (RFC 3339), in the future and at most 10 years ahead. From then on it does not redirect, and it is revoked.
       * @example 2027-06-01T18:00:00Z
       */
      readonly ends_at?: string | null;
    };
    /** @description The links and their new tags: at least one of `add` and `remove`. */
    readonly TagChange: {
      /** @description The slugs of your links, each once. */
      readonly slugs: readonly string[];
      /** @description Tags to add, after those that a link has. */
      readonly add?: readonly string[] | null;
      /** @description Tags to remove, where a link has them. A tag cannot also be in `add`. */
      readonly remove?: readonly string[] | null;
    };
    /** @description The result of tagging links. */
    readonly TaggedLinks: {
      /** @description The number of links whose tags changed. */
      readonly total_changed: number;
    };
    /** @description The verdict on the destination of a link. */
    readonly LinkScan: {
      /**
       * Format: date-time
       * @description When the destination was last scanned with a new result: at creation, or later.
       */
      readonly scanned_at: string;
      /** @description The generation of the threat database that the scan used. */
      readonly generation: string;
      /**
       * @description The outcome of the scan. `clean`: no threat was found, which is no guarantee. `warned`: the scan noted something, but the link redirects. `flagged`: the link does not redirect.
       * @enum {string}
       */
      readonly outcome: 'clean' | 'warned' | 'flagged';
      /** @description The suspected threat. Null if the outcome is `clean`. */
      readonly threat_type: string | null;
      /** @description The reasons of an outcome other than `clean`: each names a threat feed or a rule, and what it matched. */
      readonly reasons: readonly {
        readonly rule: string;
        readonly evidence: string;
      }[];
      /** @description Earlier scans and decisions of administrators, newest first. Maximum: 10. A scan without a change is not included. */
      readonly history: readonly {
        /** Format: date-time */
        readonly at: string;
        /**
         * @description The kind of entry: a scan, or a decision of an administrator. New values may be added: accept unknown ones.
         * @enum {string}
         */
        readonly source: 'scan' | 'take_down' | 'review';
        /** @description The outcome. Of a scan: `clean`, `warned` or `flagged`. Of a take-down: `flagged`. Of a review: `cleared` or `kept`. */
        readonly outcome: string;
        readonly threat_type: string | null;
        /** @description The reasons. `rule` names a threat feed (`feed:…`) or a rule, and `evidence` is what it matched. */
        readonly reasons: readonly {
          readonly rule: string;
          readonly evidence: string;
        }[];
        /** @description The generation of the threat database. Null for a review. */
        readonly generation: string | null;
      }[];
    };
    /** @description The clicks of several links. */
    readonly LinkClicks: {
      /**
       * @description The requested period.
       * @enum {string}
       */
      readonly period: '7d' | '30d' | '90d';
      readonly links: readonly {
        /**
         * @description The slug, which identifies the link in the API and in its short URL. Case-sensitive, never reused.
         * @example aB3dE6g
         */
        readonly slug: string;
        /** @description Clicks within the period, including bots unless they are excluded. */
        readonly total_clicks: number;
        /** @description One entry per UTC day, including days without clicks, oldest first. The sum is `total_clicks`. */
        readonly time_series: readonly {
          /** Format: date */
          readonly date: string;
          readonly clicks: number;
        }[];
      }[];
    };
    /** @description The analytics of a link. A click is a GET request that was redirected. */
    readonly Analytics: {
      /**
       * @description The slug, which identifies the link in the API and in its short URL. Case-sensitive, never reused.
       * @example aB3dE6g
       */
      readonly slug: string;
      /**
       * @description The requested period.
       * @enum {string}
       */
      readonly period: '7d' | '30d' | '90d';
      /** @description Clicks within the period, including bots unless they are excluded. */
      readonly total_clicks: number;
      /** @description Unique visitors, identified by a keyed hash of their IP address. */
      readonly unique_visitors: number;
      /** @description The number of `total_clicks` that came from known bots. */
      readonly bot_clicks: number;
      /** @description The number of `total_clicks` that were imported from another service. Only their days are known. Absent if there are none. */
      readonly imported_clicks?: number;
      /** @description One entry per UTC day, including days without clicks, oldest first. The sum is `total_clicks`. */
      readonly time_series: readonly {
        /** Format: date */
        readonly date: string;
        readonly clicks: number;
      }[];
      /** @description Host names. `direct` if there was no referrer. The top 10, highest count first. */
      readonly top_referrers: readonly {
        readonly referrer: string;
        readonly count: number;
      }[];
      /** @description ISO 3166-1 alpha-2 codes. Unknown countries are not included. The top 10, highest count first. */
      readonly top_countries: readonly {
        readonly country: string;
        readonly count: number;
      }[];
      /** @description Device types: `desktop`, `mobile` or `tablet`. The top 10, highest count first. */
      readonly top_devices: readonly {
        readonly device: string;
        readonly count: number;
      }[];
      /** @description Names of browsers. The top 10, highest count first. */
      readonly top_browsers: readonly {
        readonly browser: string;
        readonly count: number;
      }[];
    };
    /** @description The analytics of all links of an account. */
    readonly Overview: {
      /**
       * @description The requested period.
       * @enum {string}
       */
      readonly period: '7d' | '30d' | '90d';
      /** @description Clicks within the period, including bots unless they are excluded. */
      readonly total_clicks: number;
      /** @description Unique visitors, counted once per link. Exact up to 50,000; above that, an estimate to within 1%. */
      readonly unique_visitors: number;
      /** @description The number of `total_clicks` that came from known bots. */
      readonly bot_clicks: number;
      /** @description The number of `total_clicks` that were imported from another service. Only their days are known. Absent if there are none. */
      readonly imported_clicks?: number;
      /** @description One entry per UTC day, including days without clicks, oldest first. The sum is `total_clicks`. */
      readonly time_series: readonly {
        /** Format: date */
        readonly date: string;
        readonly clicks: number;
      }[];
      /** @description Host names. `direct` if there was no referrer. The top 10, highest count first. */
      readonly top_referrers: readonly {
        readonly referrer: string;
        readonly count: number;
      }[];
      /** @description ISO 3166-1 alpha-2 codes. Unknown countries are not included. The top 10, highest count first. */
      readonly top_countries: readonly {
        readonly country: string;
        readonly count: number;
      }[];
      /** @description Device types: `desktop`, `mobile` or `tablet`. The top 10, highest count first. */
      readonly top_devices: readonly {
        readonly device: string;
        readonly count: number;
      }[];
      /** @description Names of browsers. The top 10, highest count first. */
      readonly top_browsers: readonly {
        readonly browser: string;
        readonly count: number;
      }[];
      /** @description The 10 links with the most clicks, highest count first. */
      readonly top_links: readonly {
        /**
         * @description The slug, which identifies the link in the API and in its short URL. Case-sensitive, never reused.
         * @example aB3dE6g
         */
        readonly slug: string;
        readonly title: string | null;
        readonly clicks: number;
      }[];
      /** @description The same figures for the preceding period. Null for `90d`, because clicks are stored for 100 days. */
      readonly previous: {
        readonly total_clicks: number;
        readonly unique_visitors: number;
      } | null;
      /** @description The changes to the links of the account. */
      readonly links: {
        /** @description Links created in the period. */
        readonly created: number;
        /** @description Links that were flagged in the period and still are. */
        readonly flagged: number;
        /** @description Links revoked in the period. */
        readonly revoked: number;
      };
    };
    /** @description Whether the browser is signed in. */
    readonly SessionState: {
      readonly signed_in: boolean;
    };
    /** @description An e-mail address and its password. */
    readonly SignIn: {
      readonly email: string;
      readonly password: string;
    };
    /** @description The account that is signed in. */
    readonly SignedIn: {
      readonly email: string;
      readonly admin: boolean;
    };
    /** @description Confirmation that the browser is signed out. */
    readonly SignedOut: {
      readonly signed_out: boolean;
    };
    /** @description The ways to sign in. */
    readonly SignInOptions: {
      /** @description The OpenID Connect provider. Null if none is configured. */
      readonly provider: {
        readonly name: string;
      } | null;
    };
    /** @description The passkey to sign in with. */
    readonly PasskeySignIn: {
      /** @description The `toJSON()` of the result of `navigator.credentials.get()`. */
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
    /** @description WebAuthn options for the browser. */
    readonly PasskeyOptions: {
      readonly challenge: string;
    };
    /** @description The URL to open in the browser. */
    readonly ProviderAddress: {
      /** Format: uri */
      readonly url: string;
    };
    /** @description The first account. */
    readonly FirstRun: {
      readonly token: string;
      readonly email: string;
      /** @description The password: 12 to 1000 characters. */
      readonly password: string;
    };
    /** @description Your account. */
    readonly Account: {
      readonly email: string;
      /** @description Whether the account is an administrator. */
      readonly admin: boolean;
      readonly has_password: boolean;
      /** @description The scopes of the API key or session that sent the request. */
      readonly scopes: readonly ('read' | 'write' | 'admin')[];
      /** @description The base URL of short URLs. */
      readonly redirect_base_url: string;
      readonly quota: components['schemas']['AccountQuota'];
    };
    /** @description The quota of link creations in the current window of one hour. */
    readonly AccountQuota: {
      /** @description Links that the account may create per hour. */
      readonly limit: number;
      /** @description Links created in the current window. */
      readonly used: number;
      /**
       * Format: date-time
       * @description When the current window ends. If none is open: one hour from now.
       */
      readonly resets_at: string;
    };
    /** @description The confirmation of the deletion. */
    readonly AccountDeletion: {
      /** @description The e-mail address of your account, as a confirmation. */
      readonly email: string;
      /** @description The current password. Required if the account has one. */
      readonly current_password?: string;
    };
    /** @description The deleted account. */
    readonly DeletedAccount: {
      readonly email: string;
      /** Format: date-time */
      readonly deleted_at: string;
    };
    /** @description The passkeys of an account. */
    readonly PasskeyList: {
      readonly data: readonly components['schemas']['Passkey'][];
      /** @description The maximum number of passkeys per account. */
      readonly limit: number;
    };
    /** @description A passkey, with which the owner of an account signs in. */
    readonly Passkey: {
      /** Format: uuid */
      readonly id: string;
      readonly name: string;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: date-time
       * @description The time of the last sign-in. Null if the passkey was never used.
       */
      readonly last_used_at: string | null;
    };
    /** @description The passkey to add. */
    readonly NewPasskey: {
      /** @description A name for the passkey: 1 to 100 characters. */
      readonly name: string;
      /** @description The `toJSON()` of the result of `navigator.credentials.create()`. */
      readonly passkey: {
        readonly id: string;
        readonly response: {
          readonly clientDataJSON: string;
          readonly attestationObject: string;
        };
      };
    };
    /** @description The deleted passkey. */
    readonly RemovedPasskey: {
      /** Format: uuid */
      readonly id: string;
    };
    /** @description A change of the password. */
    readonly PasswordChange: {
      /** @description The current password. Optional if the account has no password, and for 15 minutes after a sign-in by link. */
      readonly current_password?: string;
      /** @description The password: 12 to 1000 characters. */
      readonly new_password: string;
    };
    /** @description Confirmation. */
    readonly Done: {
      readonly done: boolean;
    };
    /** @description A proof of identity: either the password or a passkey. */
    readonly Proof: {
      /** @description The password of the account. */
      readonly current_password?: string;
      /** @description The `toJSON()` of the result of `navigator.credentials.get()`, in place of the password. */
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
    /** @description The removed identity. */
    readonly RemovedIdentity: {
      /** Format: uuid */
      readonly id: string;
    };
    /** @description A page of a list. */
    readonly AccountPage: {
      /** @description The entries of the page. Empty past the last page. */
      readonly data: readonly components['schemas']['AccountDetails'][];
      /** @description The number of matching entries on all pages. */
      readonly total: number;
      /** @description The requested page. */
      readonly page: number;
      /** @description The requested number of entries per page. */
      readonly limit: number;
      /** @description The number of pages. 0 if no entry matches. */
      readonly total_pages: number;
    };
    /** @description An account, as administrators see it. */
    readonly AccountDetails: {
      /** Format: uuid */
      readonly id: string;
      readonly email: string;
      /** @description Whether the account is an administrator. */
      readonly admin: boolean;
      /** @description Links that the account may create per hour. Null: the default of this installation. */
      readonly creations_per_hour: number | null;
      /**
       * Format: date-time
       * @description When the account was suspended. Null if it is not suspended.
       */
      readonly suspended_at: string | null;
      /** @description The reason of the suspension, which the owner can read. Null if the account is not suspended. */
      readonly suspension_reason: string | null;
      /** Format: date-time */
      readonly created_at: string;
    };
    /** @description The account to create. */
    readonly NewAccount: {
      /** @description The e-mail address of the account. It must be unique; upper and lower case are the same. */
      readonly email: string;
      /** @description Whether the account is an administrator. Default: false. */
      readonly admin?: boolean | null;
      /** @description Whether to create a sign-in link. Default: false. */
      readonly sign_in_link?: boolean | null;
      /** @description The password: 12 to 1000 characters. */
      readonly password?: string;
    };
    /** @description The created account. */
    readonly CreatedAccount: {
      /** Format: uuid */
      readonly id: string;
      readonly email: string;
      readonly admin: boolean;
      /** @description The sign-in link. It is a secret and is shown only once. Null unless you requested one. */
      readonly sign_in_url: string | null;
      /**
       * Format: date-time
       * @description When the sign-in link expires. Null if there is none.
       */
      readonly expires_at: string | null;
    };
    /** @description The limit to set. */
    readonly Limit: {
      /** @description Links that the account may create per hour. Null: the default of this installation. */
      readonly creations_per_hour: number | null;
    };
    /** @description The limit of an account. */
    readonly AccountLimit: {
      readonly email: string;
      /** @description Links that the account may create per hour. Null: the default of this installation. */
      readonly creations_per_hour: number | null;
    };
    /** @description Everything that gives access to an account: sessions, devices, credentials and webhooks. */
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
    /** @description A dashboard session. */
    readonly Session: {
      /** @description The ID of the session. The audit log shows it as `credential`. */
      readonly id: string;
      /** @description Whether this session sent the request. */
      readonly current: boolean;
      /**
       * @description How the person signed in.
       * @enum {string}
       */
      readonly via: 'password' | 'passkey' | 'provider' | 'sign_in_link' | 'first_run';
      /** @description The name of the browser, or `Unknown`. */
      readonly browser: string;
      /** @description The name of the operating system. */
      readonly system: string;
      /** @description The country of the IP address, as an ISO 3166-1 alpha-2 code. `ZZ`: unknown. */
      readonly country: string;
      /** Format: date-time */
      readonly started_at: string;
      /**
       * Format: date-time
       * @description The time of the last use, to within five minutes.
       */
      readonly last_used_at: string;
    };
    /** @description A device that signed in: a browser, an operating system and a country. */
    readonly Device: {
      /** Format: uuid */
      readonly id: string;
      /** @description The name of the browser, or `Unknown`. */
      readonly browser: string;
      /** @description The name of the operating system. */
      readonly system: string;
      /** @description The country of the IP address, as an ISO 3166-1 alpha-2 code. `ZZ`: unknown. */
      readonly country: string;
      /** Format: date-time */
      readonly first_at: string;
      /**
       * Format: date-time
       * @description The time of the last sign-in.
       */
      readonly last_at: string;
      /** @description Whether the owner knows the device. False for a new device until the owner confirms it. */
      readonly known: boolean;
    };
    /** @description An identity at the OpenID Connect provider, with which the owner signs in. */
    readonly Identity: {
      /** Format: uuid */
      readonly id: string;
      readonly issuer: string;
      /** @description The ID of the person at the provider. */
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
       * @description When the key expires. Null: never.
       */
      readonly expires_at: string | null;
      /**
       * Format: date-time
       * @description The time of the last use, to within a minute. Null if the key was never used.
       */
      readonly last_used_at: string | null;
    };
    /** @description A webhook. */
    readonly WebhookEndpoint: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description The scope. `account`: events of your links. `installation`: `case.opened`, and `link.flagged` of all links, for administrators only.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description The events that the webhook receives. New values may be added: accept unknown ones. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Why the webhook is disabled, or null. `owner`: you disabled it. `gone`: the receiver returned 410. `failing`: all deliveries failed for days. `backlog`: too many messages were pending. New values may be added: accept unknown ones. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description When the deliveries to this URL began to fail. Null if the last attempt succeeded, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The ID of the API key that last set the URL. Null if that was done in the dashboard.
       */
      readonly key_id: string | null;
    };
    /** @description What to remove from the account. */
    readonly AccountRemovals: {
      /** @description Passkeys, identities, API keys and webhooks to remove, by their IDs. */
      readonly remove?: readonly string[];
      /** @description Whether to remove the password. Default: false. */
      readonly password?: boolean | null;
    };
    /** @description The active API keys of an account. */
    readonly ApiKeyList: {
      readonly data: readonly components['schemas']['ApiKey'][];
      /** @description The maximum number of active keys per account. */
      readonly limit: number;
    };
    /** @description The API key to create. */
    readonly NewApiKey: {
      /** @description A name that tells what the key is for: 1 to 100 characters. */
      readonly name: string;
      /** @description The scopes of the key: `read`, `write` or both, or `admin` alone. */
      readonly scopes: readonly ('read' | 'write' | 'admin')[];
      /**
       * Format: date-time
       * @description When the key expires, in UTC. Default: never.
       * @example 2027-01-31T00:00:00Z
       */
      readonly expires_at?: string | null;
    };
    /** @description The created API key. */
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
       * @description When the key expires. Null: never.
       */
      readonly expires_at: string | null;
      /** @description The full key. It is shown only once. */
      readonly key: string;
    };
    /** @description The deleted API key. */
    readonly DeletedApiKey: {
      /** Format: uuid */
      readonly id: string;
      /** Format: date-time */
      readonly deleted_at: string;
      /** @description The webhooks of the key, after the deletion. */
      readonly webhooks: readonly components['schemas']['WebhookOfKey'][];
    };
    /** @description A webhook of the deleted API key. */
    readonly WebhookOfKey: {
      /** Format: uuid */
      readonly id: string;
      readonly url: string;
      readonly enabled: boolean;
    };
    /** @description The webhooks of an account. */
    readonly WebhookList: {
      readonly data: readonly components['schemas']['WebhookEndpoint'][];
      /** @description The maximum number of webhooks per account. */
      readonly limit: number;
    };
    /** @description The webhook to create. */
    readonly NewWebhook: {
      /**
       * Format: iri
       * @description The URL that receives messages: an https URL of a public host, without credentials, at most 2048 bytes. Redirects are not followed.
       */
      readonly url: string;
      /** @description The events to send. */
      readonly events: readonly (
        | 'link.created'
        | 'link.revoked'
        | 'link.flagged'
        | 'link.cleared'
        | 'link.clicked'
        | 'case.opened'
      )[];
      /**
       * @description The scope of the webhook. Default: `account`.
       * @enum {string}
       */
      readonly scope?: 'account' | 'installation';
    };
    /** @description The created webhook. */
    readonly CreatedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description The scope. `account`: events of your links. `installation`: `case.opened`, and `link.flagged` of all links, for administrators only.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description The events that the webhook receives. New values may be added: accept unknown ones. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Why the webhook is disabled, or null. `owner`: you disabled it. `gone`: the receiver returned 410. `failing`: all deliveries failed for days. `backlog`: too many messages were pending. New values may be added: accept unknown ones. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description When the deliveries to this URL began to fail. Null if the last attempt succeeded, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The ID of the API key that last set the URL. Null if that was done in the dashboard.
       */
      readonly key_id: string | null;
      /** @description The secret that signs the messages. It is shown only once. */
      readonly secret: string;
    };
    /** @description The new state of the webhook. */
    readonly WebhookChange: {
      /**
       * Format: iri
       * @description The URL that receives messages: an https URL of a public host, without credentials, at most 2048 bytes. Redirects are not followed.
       */
      readonly url: string;
      /** @description The events to send. */
      readonly events: readonly (
        | 'link.created'
        | 'link.revoked'
        | 'link.flagged'
        | 'link.cleared'
        | 'link.clicked'
        | 'case.opened'
      )[];
      /** @description Whether the webhook is enabled. Events that occur while it is disabled are never sent. */
      readonly enabled: boolean;
    };
    /** @description The updated webhook. */
    readonly ChangedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description The scope. `account`: events of your links. `installation`: `case.opened`, and `link.flagged` of all links, for administrators only.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description The events that the webhook receives. New values may be added: accept unknown ones. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Why the webhook is disabled, or null. `owner`: you disabled it. `gone`: the receiver returned 410. `failing`: all deliveries failed for days. `backlog`: too many messages were pending. New values may be added: accept unknown ones. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description When the deliveries to this URL began to fail. Null if the last attempt succeeded, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The ID of the API key that last set the URL. Null if that was done in the dashboard.
       */
      readonly key_id: string | null;
      /** @description The new secret. It is shown only once. Null if the secret did not change. */
      readonly secret: string | null;
    };
    /** @description The deleted webhook. */
    readonly DeletedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /** Format: date-time */
      readonly deleted_at: string;
    };
    /** @description The webhook with its new secret. */
    readonly RotatedWebhook: {
      /** Format: uuid */
      readonly id: string;
      /**
       * @description The scope. `account`: events of your links. `installation`: `case.opened`, and `link.flagged` of all links, for administrators only.
       * @enum {string}
       */
      readonly scope: 'account' | 'installation';
      /** Format: uri */
      readonly url: string;
      /** @description The events that the webhook receives. New values may be added: accept unknown ones. */
      readonly events: readonly string[];
      readonly enabled: boolean;
      /** @description Why the webhook is disabled, or null. `owner`: you disabled it. `gone`: the receiver returned 410. `failing`: all deliveries failed for days. `backlog`: too many messages were pending. New values may be added: accept unknown ones. */
      readonly disabled_reason: string | null;
      /** Format: date-time */
      readonly disabled_at: string | null;
      /**
       * Format: date-time
       * @description When the deliveries to this URL began to fail. Null if the last attempt succeeded, or there was none.
       */
      readonly failing_since: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /**
       * Format: uuid
       * @description The ID of the API key that last set the URL. Null if that was done in the dashboard.
       */
      readonly key_id: string | null;
      /** @description The secret that signs the messages. It is shown only once. */
      readonly secret: string;
      /**
       * Format: date-time
       * @description Until when messages are also signed with the previous secret.
       */
      readonly old_secret_until: string;
    };
    /** @description A delivery of a message to a webhook. */
    readonly WebhookDelivery: {
      /** @description The `webhook-id` of the message. It is the same for all attempts and replays. */
      readonly id: string;
      /** @description The event, or `webhook.test`. */
      readonly type: string;
      /**
       * @description The state. A `failed` delivery is not retried.
       * @enum {string}
       */
      readonly state: 'pending' | 'delivered' | 'failed';
      /** Format: date-time */
      readonly created_at: string;
      /** @description The number of attempts since the delivery was created or replayed. */
      readonly attempts: number;
      /** Format: date-time */
      readonly last_attempt_at: string | null;
      /**
       * Format: date-time
       * @description When the next attempt is due. Null unless the delivery is pending.
       */
      readonly next_attempt_at: string | null;
      /** @description The status of the last response. Null if there was none. */
      readonly last_status: number | null;
      /** @description Why the last attempt failed. Null if it did not. */
      readonly last_error: string | null;
      /** @description The first 1024 bytes of the last response, as text. */
      readonly last_answer: string | null;
    };
    /** @description A page of deliveries. */
    readonly WebhookDeliveryPage: {
      readonly data: readonly components['schemas']['WebhookDelivery'][];
      /** @description The cursor to pass as `before` for the next page. Null on the last page. */
      readonly next: string | null;
    };
    /** @description The request for a review. */
    readonly ReviewRequest: {
      /** @description Why the flag is wrong, in one line. */
      readonly message: string;
    };
    /** @description A case: a report about a link, or a request to review its flag. */
    readonly Case: {
      /** @description The number of the case. Anybody who has it can see the state of the case. */
      readonly number: string;
      /** @enum {string} */
      readonly kind: 'report' | 'review';
      readonly slug: string;
      /**
       * @description The category that the visitor chose. Null for a review.
       * @enum {string|null}
       */
      readonly category: 'phishing' | 'malware' | 'scam' | 'spam' | 'policy_violation' | null;
      /** @description The message of the person. It may have several lines, and may be empty for a report. */
      readonly message: string;
      /** @description Whether the owner of the link filed the case. Otherwise a visitor did. */
      readonly by_owner: boolean;
      /**
       * @description The state. `upheld`: an administrator agreed with the person who filed the case. `dismissed`: an administrator did not.
       * @enum {string}
       */
      readonly state: 'open' | 'upheld' | 'dismissed';
      /** @description The reason of the decision, for the person who filed the case. */
      readonly reason: string | null;
      /** Format: date-time */
      readonly created_at: string;
      /** Format: date-time */
      readonly decided_at: string | null;
      /** @description The URL of a page with the state of the case, for the person who filed it. */
      readonly url: string;
    };
    /** @description The suspension. */
    readonly Suspension: {
      /** @description The reason, in one line. The owner of the account can read it. */
      readonly reason?: string;
    };
    /** @description A link, as administrators see it. */
    readonly InspectedLink: {
      readonly link: components['schemas']['Link'];
      /** @description The e-mail address of the owner. */
      readonly owner: string;
      /** @description Earlier scans and decisions of administrators, newest first. Maximum: 10. Empty for a clean link. */
      readonly verdicts: readonly {
        /** Format: date-time */
        readonly at: string;
        /**
         * @description The kind of entry: a scan, or a decision of an administrator. New values may be added: accept unknown ones.
         * @enum {string}
         */
        readonly source: 'scan' | 'take_down' | 'review';
        /** @description The outcome. Of a scan: `clean`, `warned` or `flagged`. Of a take-down: `flagged`. Of a review: `cleared` or `kept`. */
        readonly outcome: string;
        readonly threat_type: string | null;
        /** @description The reasons. `rule` names a threat feed (`feed:…`) or a rule, and `evidence` is what it matched. */
        readonly reasons: readonly {
          readonly rule: string;
          readonly evidence: string;
        }[];
        /** @description The generation of the threat database. Null for a review. */
        readonly generation: string | null;
      }[];
    };
    /** @description The take-down. */
    readonly TakeDown: {
      /**
       * @description The threat type, which visitors of the link see.
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
      /** @description The reason, in one line. The owner of the link can read it. */
      readonly reason: string;
    };
    /** @description The links of one account to one host that are neither revoked nor taken down. */
    readonly LinksToHost: {
      /** @description The e-mail address of the account. */
      readonly owner: string;
      /** @description The host, without a port. It includes links with any port. */
      readonly host: string;
      readonly count: number;
      /** @description The first of these links. Maximum: 10. */
      readonly links: readonly components['schemas']['Link'][];
    };
    /** @description The take-down. */
    readonly HostTakeDown: {
      /**
       * @description The threat type, which visitors of the link see.
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
      /** @description The reason, in one line. The owner of the link can read it. */
      readonly reason: string;
      /** @description The cursor: `next` of the previous response. */
      readonly after?: string | null;
    };
    /** @description The result of one step of the take-down. */
    readonly HostTakenDown: {
      /** @description The number of links that this request took down. */
      readonly taken_down: number;
      /** @description The cursor to pass as `after` in the next request. Null if all links are processed. */
      readonly next: string | null;
    };
    /** @description The decision on the flagged link. */
    readonly Review: {
      /**
       * @description The decision. `clear`: the link becomes active, and the same evidence does not flag it again. `keep`: the link stays flagged.
       * @enum {string}
       */
      readonly decision: 'clear' | 'keep';
      /** @description The reason, in one line. The people who requested a review can read it. */
      readonly reason: string;
    };
    /** @description A page of cases. */
    readonly CasePage: {
      readonly data: readonly components['schemas']['Case'][];
      /** @description The cursor to pass as `before` for the next page. Null on the last page. */
      readonly next: string | null;
    };
    /** @description The open cases of each kind. */
    readonly CaseCount: {
      readonly report: {
        readonly open: number;
        /**
         * Format: date-time
         * @description When the oldest open case was filed. Null if no case is open.
         */
        readonly oldest_at: string | null;
      };
      readonly review: {
        readonly open: number;
        /**
         * Format: date-time
         * @description When the oldest open case was filed. Null if no case is open.
         */
        readonly oldest_at: string | null;
      };
    };
    /** @description The decision on the case. */
    readonly CaseDecision: {
      /**
       * @description The decision. `upheld`: you agree with the person who filed the case. `dismissed`: you do not.
       * @enum {string}
       */
      readonly decision: 'upheld' | 'dismissed';
      /** @description The reason, in one line. The person who filed the case can read it, and so can the owner of a link that is taken down. */
      readonly reason: string;
      /**
       * @description The threat type of a link that is taken down. Default: the category of the report.
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
    /** @description The threat feeds in use. */
    readonly ThreatFeedList: {
      /** @description The threat feeds, sorted by name. */
      readonly data: readonly components['schemas']['ThreatFeed'][];
      readonly takedown_times: components['schemas']['TakedownTimes'];
    };
    /** @description A threat feed. */
    readonly ThreatFeed: {
      readonly name: string;
      readonly entries: number;
      /**
       * Format: date-time
       * @description When the content last changed. Null if the feed was never fetched. For a shipped feed: the date of its data.
       */
      readonly updated_at: string | null;
      /** @description Seconds since `updated_at`. Null if the feed was never fetched. */
      readonly age_seconds: number | null;
      /** @description Whether the content has not changed for seven update intervals. */
      readonly stale: boolean;
      /** @description The error of the last update. Null if it succeeded. */
      readonly last_error: string | null;
      /** @description Hosts and pages of this service that the feed lists. Maximum: 100. */
      readonly own_addresses: readonly {
        /** @description The host and path. The path `/` stands for the whole host. */
        readonly address: string;
        /** Format: date-time */
        readonly since: string;
      }[];
      /** @description Short links that the feed lists. Maximum: 100. */
      readonly own_links: readonly {
        readonly slug: string;
        /** Format: date-time */
        readonly since: string;
        /** @enum {string} */
        readonly status: 'active' | 'flagged' | 'revoked';
        /**
         * Format: date-time
         * @description When this feed flagged the link. Null if it did not.
         */
        readonly flagged_at: string | null;
      }[];
      /** @description The URL where you can ask the publisher to remove an entry. */
      readonly removal_url: string | null;
    };
    /** @description Figures to include in a request to remove an entry. Null unless a feed lists this service. */
    readonly TakedownTimes: {
      /** @description The time from the listing of a short link to its flag, for the links in `own_links`. */
      readonly listings: {
        readonly count: number;
        /** @description The median. Null if the count is 0. */
        readonly median_seconds: number | null;
        /** @description The maximum. Null if the count is 0. */
        readonly longest_seconds: number | null;
      };
      /** @description The time from an upheld report to its decision, in the last 180 days. */
      readonly reports: {
        readonly count: number;
        /** @description The median. Null if the count is 0. */
        readonly median_seconds: number | null;
        /** @description The maximum. Null if the count is 0. */
        readonly longest_seconds: number | null;
      };
    } | null;
    /** @description A page of your data. */
    readonly AccountExport: {
      readonly person: components['schemas']['PersonalRecords'];
      readonly links: readonly components['schemas']['Link'][];
      /** @description The cursor to pass as `after` for the next page. Null on the last page. */
      readonly next: string | null;
    };
    /** @description Everything except your links. Null on all pages but the first. */
    readonly PersonalRecords: {
      readonly account: components['schemas']['AccountDetails'];
      readonly sessions: readonly components['schemas']['Session'][];
      readonly devices: readonly components['schemas']['Device'][];
      readonly passkeys: readonly components['schemas']['Passkey'][];
      readonly identities: readonly components['schemas']['Identity'][];
      readonly keys: readonly components['schemas']['ApiKey'][];
      readonly webhooks: readonly components['schemas']['WebhookEndpoint'][];
      /** @description The reviews that you requested. Maximum: the newest 1,000. */
      readonly cases: readonly components['schemas']['Case'][];
      /** @description Your actions, and changes to your account, API keys and links. Maximum: the newest 1,000. */
      readonly audit: readonly {
        /** Format: date-time */
        readonly at: string;
        /** @enum {string} */
        readonly actor: 'you' | 'administrator' | 'operator' | 'somebody';
        /**
         * @description The action. New values may be added: accept unknown ones.
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
    /** @description The dependencies of the service. */
    readonly HealthDetails: {
      readonly data: readonly components['schemas']['HealthDetail'][];
    };
    /** @description A dependency of the service. */
    readonly HealthDetail: {
      readonly name: string;
      readonly ok: boolean;
      /** @description The problem. Null if the dependency works. */
      readonly detail: string | null;
      /**
       * Format: date-time
       * @description When the newest backup was created, for the dependency `backup`. Null for all others.
       */
      readonly last_done_at: string | null;
    };
    /** @description The state of the process. */
    readonly Alive: {
      /** @constant */
      readonly status: 'alive';
    };
    /** @description Whether the service is ready, and whether each of its dependencies works. */
    readonly Readiness: {
      /** @enum {string} */
      readonly status: 'ready' | 'not_ready';
      /** @description The dependencies, by name. */
      readonly dependencies: {
        readonly [key: string]: {
          readonly ok: boolean;
        };
      };
    };
    /** @description A page of the audit log. */
    readonly AuditPage: {
      readonly data: readonly components['schemas']['AuditEntry'][];
      /** @description The cursor to pass as `before` for the next page. Null on the last page. */
      readonly next: string | null;
    };
    /** @description An entry of the audit log. */
    readonly AuditEntry: {
      readonly id: string;
      /** Format: date-time */
      readonly at: string;
      /** @description Who acted: an e-mail address, the ID of a deleted account, or `operator`. */
      readonly actor: string;
      /** @enum {string} */
      readonly via: 'key' | 'session' | 'operator' | 'password' | 'passkey' | 'provider' | 'sign_in_link' | 'first_run';
      /** @description The ID of the API key or session that was used. */
      readonly credential: string | null;
      /**
       * @description The action. New values may be added: accept unknown ones.
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
      /** @description What the action was about: an e-mail address, the ID of an API key, a slug, or the name of a threat feed. Empty if the account does not exist, or if the action concerns the whole installation. */
      readonly subject: string;
      /** @description The account that the subject is, or that it belongs to. */
      readonly account: string | null;
      /** @enum {string} */
      readonly outcome: 'done' | 'refused';
      /** @description Details or the reason. May be empty. */
      readonly detail: string;
    };
    /** @description A link was created or changed. */
    readonly LinkMessage: {
      /** @enum {string} */
      readonly type: 'link.created' | 'link.revoked' | 'link.flagged' | 'link.cleared';
      /**
       * Format: date-time
       * @description When the event occurred (UTC). The time of an attempt to deliver it is in `webhook-timestamp`.
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
        /** @description The threat that the destination is suspected of, or null. */
        readonly threat_type: string | null;
        /** @description The version of the link. It increases with each change. */
        readonly version: number;
        /**
         * @description `ended`: the link was revoked because it reached its end. Otherwise absent.
         * @constant
         */
        readonly cause?: 'ended';
      };
    };
    /** @description Visitors were redirected. */
    readonly ClicksMessage: {
      /** @constant */
      readonly type: 'link.clicked';
      /**
       * Format: date-time
       * @description When the event occurred (UTC). The time of an attempt to deliver it is in `webhook-timestamp`.
       */
      readonly timestamp: string;
      readonly data: {
        readonly clicks: readonly {
          /** @description The ID of the click. It is the same in every message that contains the click. */
          readonly id: string;
          readonly slug: string;
          /** Format: date-time */
          readonly at: string;
          /** @description The country as an ISO 3166-1 alpha-2 code. `ZZ`: unknown. */
          readonly country: string;
          /** @enum {string} */
          readonly device: 'desktop' | 'mobile' | 'tablet';
          /** @description The name of the browser, or `Unknown`. */
          readonly browser: string;
          /** @description The host name that the visitor sent. It is not verified. */
          readonly referrer: string | null;
          /** @description Whether a known bot followed the link. */
          readonly bot: boolean;
        }[];
      };
    };
    /** @description You requested a test message. */
    readonly TestMessage: {
      /** @constant */
      readonly type: 'webhook.test';
      /**
       * Format: date-time
       * @description When the event occurred (UTC). The time of an attempt to deliver it is in `webhook-timestamp`.
       */
      readonly timestamp: string;
      readonly data: {
        /**
         * Format: uuid
         * @description The ID of the webhook.
         */
        readonly webhook: string;
      };
    };
    /** @description A visitor reported a link, or somebody requested a review of a flag. */
    readonly CaseMessage: {
      /** @constant */
      readonly type: 'case.opened';
      /**
       * Format: date-time
       * @description When the case was filed (UTC).
       */
      readonly timestamp: string;
      readonly data: {
        /** @description The number of the case. Anybody who has it can see the state of the case. */
        readonly number: string;
        /** @enum {string} */
        readonly kind: 'report' | 'review';
        readonly slug: string;
        /** Format: uri */
        readonly short_url: string;
        /**
         * @description The category that the visitor chose. Null for a review.
         * @enum {string|null}
         */
        readonly category: 'phishing' | 'malware' | 'scam' | 'spam' | 'policy_violation' | null;
        /** @description Whether the owner of the link filed the case. Otherwise a visitor did. */
        readonly by_owner: boolean;
        /**
         * Format: uri
         * @description The URL of the page where an administrator decides the case.
         */
        readonly url: string;
      };
    };
  };
  responses: never;
  parameters: {
    /** @description Whether to validate and scan without creating anything or using quota. The response is 200 instead of 201, and `Idempotency-Key` is ignored. */
    readonly dry_run: 'true' | 'false';
    /** @description Makes retries safe. A request with the same key and body within 24 hours returns the first response, and creates nothing again. Printable ASCII, such as a UUID. */
    readonly 'Idempotency-Key': string;
    /**
     * @description The page to return, starting at 1.
     * @example 1
     */
    readonly page: number;
    /**
     * @description The number of entries per page.
     * @example 25
     */
    readonly limit: number;
    /** @description The field to sort by. Ties are sorted by slug, and text by its bytes. Links without a title or end come last. `clicks` returns only the 1,000 links with the most clicks in the last 30 days. */
    readonly sort: 'created_at' | 'updated_at' | 'slug' | 'destination_url' | 'status' | 'title' | 'ends_at' | 'clicks';
    /** @description The sort direction: ascending or descending. */
    readonly order: 'asc' | 'desc';
    /** @description Only links with this status. */
    readonly status: 'active' | 'flagged' | 'revoked';
    /**
     * @description Only links with this exact tag. With several tags, only links with all of them. Maximum: 10.
     * @example [
     *       "docs"
     *     ]
     */
    readonly tag: readonly string[];
    /**
     * @description Only links whose slug, destination, title or note contains this text, in upper or lower case. A text of more than 2048 characters matches none.
     * @example wiki
     */
    readonly search: string;
    /**
     * @description The slug of the link.
     * @example aB3dE6g
     */
    readonly slug: string;
    /** @description The format of the picture. */
    readonly format: 'svg' | 'png';
    /**
     * @description The width and height of the picture, in pixels. The modules of a PNG are whole pixels, so its margin may be wider.
     * @example 512
     */
    readonly size: number;
    /**
     * @description The space around the code, in modules. Cameras need four.
     * @example 4
     */
    readonly margin: number;
    /**
     * @description The color of the code, as `#rrggbb`. It must be much darker than the background.
     * @example #1e3a8a
     */
    readonly color: string;
    /**
     * @description The color behind the code, as `#rrggbb`, or `transparent`, which is meant for a white surface.
     * @example #fef3c7
     */
    readonly background: string;
    /** @description The error correction: `L`, `M`, `Q` or `H`. With `H`, a camera reads the code without a quarter of it. */
    readonly correction: 'L' | 'M' | 'Q' | 'H';
    /**
     * @description The slugs of 1 to 100 of your links, each once. Repeat the parameter, or separate the slugs with commas.
     * @example [
     *       "aB3dE6g",
     *       "summer"
     *     ]
     */
    readonly slugs: readonly string[];
    /** @description The period: the last 7, 30 or 90 UTC days, including today. */
    readonly period: '7d' | '30d' | '90d';
    /** @description Whether to count known bots. With `exclude`, no figure includes them. */
    readonly bots: 'include' | 'exclude';
    /**
     * @description The ID of the passkey.
     * @example b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44
     */
    readonly id: string;
    /**
     * @description The ID of the session.
     * @example 9f86d081884c
     */
    readonly 'endSession.id': string;
    /**
     * @description The ID of the device.
     * @example 5a1e7f0c-2b34-4c9d-8a11-6f0d3b9c7e21
     */
    readonly 'confirmDevice.id': string;
    /**
     * @description The ID of the identity.
     * @example c1d2a5de-6a0b-4f5e-9c1a-2f5f0a7f3b10
     */
    readonly 'removeIdentity.id': string;
    /**
     * @description Only accounts whose e-mail address contains this text.
     * @example ada
     */
    readonly 'listAccounts.search': string;
    /** @description Only accounts with this status. */
    readonly 'listAccounts.status': 'active' | 'suspended';
    /**
     * @description The e-mail address of the account.
     * @example ada@example.org
     */
    readonly email: string;
    /**
     * @description The ID of the API key.
     * @example b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44
     */
    readonly 'deleteKey.id': string;
    /** @description What happens to the webhooks of the key. Default: `keep`. */
    readonly webhooks: 'keep' | 'switch_off';
    /**
     * @description The ID of the API key.
     * @example b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44
     */
    readonly 'deleteAnyKey.id': string;
    /**
     * @description The ID of the webhook.
     * @example 4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f
     */
    readonly webhook: string;
    /** @description Only deliveries in this state. */
    readonly state: 'pending' | 'delivered' | 'failed';
    /**
     * @description The cursor: `next` of the previous page. Returns only older deliveries.
     * @example msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e
     */
    readonly before: string;
    /**
     * @description The ID of a delivery of this webhook.
     * @example msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e
     */
    readonly delivery: string;
    /**
     * @description The cursor: `next` of the previous page. Returns only older entries.
     * @example 4711
     */
    readonly 'listReviewRequests.before': string;
    /** @description Only cases in this state. */
    readonly 'listReviewRequests.state': 'open' | 'upheld' | 'dismissed';
    /**
     * @description Only cases decided from this time on, in UTC.
     * @example 2026-11-21
     */
    readonly decided_since: string;
    /**
     * @description The cursor: `next` of the previous page. Returns only older entries.
     * @example 4711
     */
    readonly 'listCases.before': string;
    /** @description Only cases of this kind. */
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
     * @description The cursor: `next` of the previous page.
     * @example 2026-11-21T09:30:00.000Z_aB3dE6g
     */
    readonly after: string;
    /**
     * @description The cursor: `next` of the previous page. Returns only older entries.
     * @example 4711
     */
    readonly 'listAudit.before': string;
    /**
     * @description Only entries from this time on, in UTC.
     * @example 2026-11-21
     */
    readonly since: string;
    /** @description Only entries by this account, given by its e-mail address, or by `operator`. */
    readonly actor: string;
    /** @description Only entries with this action. */
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
    /** @description Only entries about this link (by slug), this API key (by ID), or this account with its keys and links (by e-mail address). */
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
export type LinkEdit = components['schemas']['LinkEdit'];
export type TagChange = components['schemas']['TagChange'];
export type TaggedLinks = components['schemas']['TaggedLinks'];
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
  readonly updateLink: Operation<'slug', never, LinkEdit, Link>;
  readonly tagLinks: Operation<never, never, TagChange, TaggedLinks>;
  readonly revokeLink: Operation<'slug', never, undefined, Link>;
  readonly getScan: Operation<'slug', never, undefined, LinkScan>;
  readonly getQrCode: Operation<
    'slug',
    'format' | 'size' | 'margin' | 'color' | 'background' | 'correction',
    undefined,
    Uint8Array
  >;
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

/** Every field of a link. */
export const LINK_FIELDS = [
  'slug',
  'destination_url',
  'status',
  'threat_type',
  'take_down_reason',
  'revoked_at',
  'tags',
  'title',
  'ends_at',
  'note',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Link)[];

/** The method and the path of each. */
export const OPERATIONS = {
  createLink: ['POST', '/api/v1/links'],
  listLinks: ['GET', '/api/v1/links'],
  getFacets: ['GET', '/api/v1/facets'],
  createLinks: ['POST', '/api/v1/links/bulk'],
  checkUrl: ['POST', '/api/v1/check'],
  getLink: ['GET', '/api/v1/links/{slug}'],
  updateLink: ['PATCH', '/api/v1/links/{slug}'],
  tagLinks: ['POST', '/api/v1/links/tags'],
  revokeLink: ['POST', '/api/v1/links/{slug}/revoke'],
  getScan: ['GET', '/api/v1/links/{slug}/scan'],
  getQrCode: ['GET', '/api/v1/links/{slug}/qr'],
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
