"""Open a gRPC channel to a backend.

Owns the channel's options. Knows no request.
"""

from typing import Final

import grpc

from surefoot.forward.options import Options

_OPTIONS: Final = (
    # What came in may go out. Answers keep gRPC's 4 MiB, which is OTLP's limit for them.
    ("grpc.max_send_message_length", -1),
    # gRPC's own waits between connections grow to two minutes; ours decide.
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    # Nor does gRPC try again unseen: that is ours, and its machinery for it takes 45 us of
    # the 340 of CPU that sending a small request takes.
    ("grpc.enable_retries", 0),
    # Senders to one backend (spans, verdicts, metrics) fail and recover alone.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.primary_user_agent", "surefoot"),
)


def connect(options: Options) -> grpc.Channel:
    """A channel; the connection is made when it is first used.

    Raises:
        ConfigError: The endpoint is no `host:port`.
    """
    target, is_plain = options.target
    compression = grpc.Compression.Gzip if options.gzip else grpc.Compression.NoCompression
    if is_plain:
        return grpc.insecure_channel(target, _OPTIONS, compression)
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(), _OPTIONS, compression)
