#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
int p[2];void*w(void*a){char c;read(p[0],&c,1);return 0;} void*v(void*a){sleep(1000);return 0;} void*s(void*a){sem_t q;sem_init(&q,0,0);sem_wait(&q);return 0;}
int main(){pipe(p);pthread_t t[3];void*r;void*(*f[3])(void*)={w,v,s};int bad=0;for(int i=0;i<3;i++)pthread_create(&t[i],0,f[i],0);for(int i=0;i<3;i++)pthread_cancel(t[i]);for(int i=0;i<3;i++){pthread_join(t[i],&r);bad|=r!=PTHREAD_CANCELED;}return bad;}
