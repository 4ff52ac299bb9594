"""Every setting, from environment variables, on one page. `docs/configuration.md` explains each.

DW_ENV=local (the default) is one person's machine: loopback only, embedded PostgreSQL, a key made on first start.
DW_ENV=production refuses to start without DW_SECRET_KEY, DW_ALLOWED_HOSTS and DATABASE_URL.
"""

import os
import secrets
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from digitalworker.common import env

# Presidio's e-mail recogniser would otherwise look up a public list of host names on the network.
os.environ.setdefault("TLDEXTRACT_PUBLIC_SUFFIX_LIST_URLS", "")
# The bundled embedding engine spins or hangs in a forked child with more threads than one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("DW_DATA_DIR", str(BASE_DIR / ".data"))).absolute()
POSTGRES_DIR = Path(
    env.text("DW_POSTGRES_DIR", str(DATA_DIR / "postgres"))
).absolute()  # the embedded server's, if it is used
COMMAND = sys.argv[1] if len(sys.argv) > 1 else ""

DW_ENV = env.text("DW_ENV", "local")
if DW_ENV not in {"local", "production"}:
    raise ImproperlyConfigured(f"DW_ENV={DW_ENV!r} is unknown. Use local or production.")
PRODUCTION = DW_ENV == "production"
DEBUG = env.flag("DW_DEBUG", False)
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("DW_DEBUG must be off when DW_ENV=production.")


def _local_secret() -> str:
    """A key of this machine's own, kept beside its data so that log-ins survive a restart."""
    path = DATA_DIR / "secret_key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            os.link(fresh, path)  # the first of two processes wins, and both read the same key
        except FileExistsError:
            pass
        fresh.unlink()
    return path.read_text().strip()


SECRET_KEY = env.text("DW_SECRET_KEY") if PRODUCTION else env.text("DW_SECRET_KEY", "") or _local_secret()
if PRODUCTION and len(SECRET_KEY) < 40:
    raise ImproperlyConfigured("DW_SECRET_KEY is shorter than 40 characters. Make one with: openssl rand -base64 48")
ALLOWED_HOSTS = env.words("DW_ALLOWED_HOSTS", "" if PRODUCTION else "localhost,127.0.0.1,[::1]")
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured("DW_ALLOWED_HOSTS is not set. List the host names people use, separated by commas.")
CSRF_TRUSTED_ORIGINS = env.words("DW_TRUSTED_ORIGINS")
PUBLIC_URL = env.text("DW_PUBLIC_URL", "")

# --- applications -------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "digitalworker.common",
    "digitalworker.console",
    "digitalworker.api",
    "digitalworker.audit",
    "digitalworker.agents",
    "souls",
    "skills",
    "learning",
    "digitalworker.runtime",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "guardian",
    "simple_history",
    "pgtrigger",
    "django_q",
    "django_htmx",
    "heroicons",
    "rest_framework",
    "drf_spectacular",
]
OIDC_SERVER = env.text("DW_OIDC_SERVER", "")
if OIDC_SERVER:
    INSTALLED_APPS += ["allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"]

MIDDLEWARE = [
    "digitalworker.common.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "digitalworker.agents.middleware.ActorMiddleware",
    "digitalworker.console.middleware.ErrorsMiddleware",
]
ROOT_URLCONF = "digitalworker.urls"
WEB_WORKERS = env.number("DW_WEB_WORKERS", 2)
ASGI_APPLICATION = "digitalworker.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "digitalworker.console.context.shell",
            ],
        },
    }
]

# --- database -----------------------------------------------------------------------------------------------------
# Two roles: the owner migrates, the application owns nothing, so that append-only tables hold for raw SQL as well.
OWNER_COMMANDS = {"migrate", "makemigrations", "sqlmigrate", "optimizemigration", "squashmigrations", "dbshell"}
AS_OWNER = COMMAND in OWNER_COMMANDS or env.flag("DW_DATABASE_OWNER", False)
DATABASE_URL = env.text("DATABASE_URL") if PRODUCTION else env.text("DATABASE_URL", "")
if DATABASE_URL:
    _url = env.text("DW_OWNER_DATABASE_URL", DATABASE_URL) if AS_OWNER else DATABASE_URL
    _database = env.database(_url)
else:
    from digitalworker.common.postgres import APP_ROLE, DATABASE_NAME, OWNER_ROLE, socket_dir

    _database = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": DATABASE_NAME,
        "USER": OWNER_ROLE if AS_OWNER else APP_ROLE,
        "HOST": str(socket_dir(POSTGRES_DIR)),
    }
DW_APP_ROLE = env.text("DW_APP_ROLE", "digitalworker_app")
_database["OPTIONS"] = {
    # Prepared statements, of which there are few, are planned at their first call and not anew at each of the first five.
    "options": f"-c statement_timeout={0 if AS_OWNER else 15_000} -c idle_in_transaction_session_timeout=60000 -c jit=off"
    " -c plan_cache_mode=force_generic_plan",
    "connect_timeout": 5,
}
# Off behind a connection pooler that does not know prepared statements. On, only what asks to be prepared is.
DW_PREPARED_STATEMENTS = env.flag("DW_PREPARED_STATEMENTS", True)
_database["OPTIONS"]["prepare_threshold"] = 1_000_000 if DW_PREPARED_STATEMENTS else None
_database["CONN_HEALTH_CHECKS"] = True
if env.flag("DW_DATABASE_POOL", False) and COMMAND != "qcluster":  # a pool must not be forked
    _database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": env.number("DW_POOL_SIZE", 8), "timeout": 5}
    _database["CONN_MAX_AGE"] = 0
else:
    _database["CONN_MAX_AGE"] = 60
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "django_cache"}}

# --- who is who ---------------------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "guardian.backends.ObjectPermissionBackend",
]
GUARDIAN_RAISE_403 = False
ANONYMOUS_USER_NAME = None
AUTH_USER_MODEL = "agents.User"
SILENCED_SYSTEM_CHECKS = ["auth.W004"]  # e-mail addresses are unique, but whatever their case, which the check misses
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/app/"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_ADAPTER = "digitalworker.agents.accounts.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_MAX_EMAIL_ADDRESSES = 1  # else a member could take an address somebody else will be invited under
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {"login_failed": env.text("DW_LOGIN_FAILED_RATE", "10/m/ip,5/5m/key")}
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("DW_TRUSTED_PROXIES", 0)
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
if OIDC_SERVER:
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "APPS": [
                {
                    "provider_id": "sso",
                    "name": env.text("DW_OIDC_NAME", "Single sign-on"),
                    "client_id": env.text("DW_OIDC_CLIENT_ID"),
                    "secret": env.text("DW_OIDC_CLIENT_SECRET"),
                    "settings": {"server_url": OIDC_SERVER},
                }
            ]
        }
    }
    SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
    SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
    SOCIALACCOUNT_ADAPTER = "digitalworker.agents.accounts.SocialAccountAdapter"
ADMIN_PATH = env.text("DW_ADMIN_PATH", "operator-admin").strip("/") + "/"

# --- security -----------------------------------------------------------------------------------------------------
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF, CSP.NONCE],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "base-uri": [CSP.NONE],
    # A log-in by single sign-on is a form whose answer leads to the provider, which browsers hold to this as well.
    "form-action": [CSP.SELF, *env.words("DW_OIDC_ORIGINS", env.origin(OIDC_SERVER))],
    "object-src": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_AGE = 14 * 24 * 3600
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.flag("DW_SSL_REDIRECT", True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_HSTS_SECONDS = env.number("DW_HSTS_SECONDS", 31_536_000)
    if ALLAUTH_TRUSTED_PROXY_COUNT:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = env.number("DW_MAX_BODY_BYTES", 2_500_000)

# --- the task queue: only a trigger; what is to be done is a state in our own tables -------------------------------
Q_CLUSTER = {
    "name": "digitalworker",
    "orm": "default",
    "workers": env.number("DW_WORKERS", 2),
    "queue_limit": env.number("DW_WORKERS", 2),
    "bulk": 1,
    "timeout": 120,
    "retry": 600,
    "max_attempts": 3,
    "ack_failures": False,
    "save_limit": 0,  # a limit is checked by locking every finished task; `prune_queue` deletes them daily instead
    "poll": 0.2,
    "catch_up": False,
    "recycle": 500,
    "time_zone": "UTC",
    "sync": env.flag("DW_TASKS_INLINE", False),
}

# --- models and engines -------------------------------------------------------------------------------------------
DW_MODEL = env.text("DW_MODEL", "")  # "openai:gpt-5-mini", "anthropic:claude-sonnet-4-5"; empty: the local responder
DW_MODEL_BASE_URL = env.text("DW_MODEL_BASE_URL", "")  # any OpenAI-compatible endpoint
DW_MODEL_TIMEOUT = env.number("DW_MODEL_TIMEOUT", 60)
DW_DETECT_TIMEOUT = env.number("DW_DETECT_TIMEOUT", 30)  # seconds for one look with a model, its repair included
DW_DETECT_WHEN_DOWN = env.text("DW_DETECT_WHEN_DOWN", "wait")  # wait | local | skip
DW_DETECT_WAIT_HOURS = env.number("DW_DETECT_WAIT_HOURS", 24)  # then the local extractor listens
if DW_DETECT_WHEN_DOWN not in {"wait", "local", "skip"}:
    raise ImproperlyConfigured(f"DW_DETECT_WHEN_DOWN={DW_DETECT_WHEN_DOWN!r} is unknown. Use wait, local or skip.")
if not 1 <= DW_DETECT_TIMEOUT <= 60:
    raise ImproperlyConfigured("DW_DETECT_TIMEOUT must be 1 to 60 seconds: a task must end within its own time limit.")
DW_EMBEDDING = env.text("DW_EMBEDDING", "bundled")  # "bundled" | "openai:<model>" | "none"
DW_EMBEDDING_BASE_URL = env.text("DW_EMBEDDING_BASE_URL", "")
DW_RECALL_MEMORY_MB = env.number("DW_RECALL_MEMORY_MB", 64)  # what a process keeps for ranking, about
DW_STYLEGUIDE = env.flag("DW_STYLEGUIDE", DEBUG)

# --- REST ---------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["digitalworker.agents.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["digitalworker.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "digitalworker.api.schema.Schema",
    "EXCEPTION_HANDLER": "digitalworker.api.problems.handle",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Digital Worker",
    "DESCRIPTION": "Role-agents that learn, while named people decide what is learned.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": [],
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,  # it would call the revision optional
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["digitalworker.api.schema.without_marks"],
}

# --- files, time, logs --------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
HASHED_STATIC = env.flag("DW_HASHED_STATIC", PRODUCTION)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage."
        + ("ManifestStaticFilesStorage" if HASHED_STATIC else "StaticFilesStorage")
    },
}
USE_TZ = True
TIME_ZONE = env.text("DW_TIME_ZONE", "UTC")
LANGUAGE_CODE = "en-gb"
SMTP_HOST = env.text("DW_SMTP_HOST", "")
MAILERS = {
    "default": {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": {
            "host": SMTP_HOST,
            "port": env.number("DW_SMTP_PORT", 587),
            "username": env.text("DW_SMTP_USER", ""),
            "password": env.text("DW_SMTP_PASSWORD", ""),
            "use_tls": env.flag("DW_SMTP_TLS", True),
        },
    }
    if SMTP_HOST
    else {"BACKEND": "django.core.mail.backends.console.EmailBackend"}
}
DEFAULT_FROM_EMAIL = env.text("DW_MAIL_FROM", "digital-worker@localhost")
LOG_LEVEL = env.text("DW_LOG_LEVEL", "INFO")
LOG_JSON = env.flag("DW_LOG_JSON", PRODUCTION)
LOGGING_CONFIG = "digitalworker.common.logs.configure"
LOGGING = {"level": LOG_LEVEL, "json": LOG_JSON}
