# SPDX-License-Identifier: GPL-2.0
# For Debian's python3-sphinx, without extensions. See Makefile.

project = "virtio-accel"
author = "the virtio-accel authors"
copyright = author
html_theme = "classic"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"body_max_width": "60em"}
highlight_language = "none"
primary_domain = None
