FROM httpd:2.4-alpine
COPY public/ /usr/local/apache2/htdocs/
