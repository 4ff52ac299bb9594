"""How much one import may bring. Bytes are those found while reading, never those a header promises."""

UPLOAD_MOST = 20 * 1024 * 1024  # bytes of an archive as it is sent
FILE_MOST = 10 * 1024 * 1024  # bytes of one file
TOTAL_MOST = 50 * 1024 * 1024  # bytes of all files together
FILES_MOST = 5_000
RATIO_MOST = 200  # bytes out for each byte in, counted from the first megabyte on
PATH_MOST = 240  # characters
DEPTH_MOST = 12  # folders inside each other
